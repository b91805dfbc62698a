package interregnum.check.model;

import java.util.Objects;

/**
 * What an operation does to an object, without who did it and when.
 *
 * <p>Two calls that are equal must have the same effect in every state: the search treats them as
 * interchangeable.
 *
 * @param f name of the operation, for example {@code "read"}
 * @param value argument or result; the completion's value where the operation completed
 * @param detail anything else a model looks at (a process, a whole operation map), or null
 */
public record Call(String f, Object value, Object detail) {

  public Call {
    Objects.requireNonNull(f, "f");
  }

  /** Creates a call described by name and value alone. */
  public static Call of(String f, Object value) {
    return new Call(f, value, null);
  }

  /** Creates the same call with another value. */
  public Call withValue(Object other) {
    return new Call(f, other, detail);
  }

  @Override
  public String toString() {
    return value == null ? f : f + " " + value;
  }
}
