package interregnum.check.model;

/**
 * The answer of a model to a call that cannot happen in the given state.
 *
 * @param message why it cannot happen, for people
 */
public record Inconsistent(String message) {}
