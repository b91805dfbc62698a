package interregnum.check.search;

import interregnum.check.model.Call;
import interregnum.check.model.Text;

/** A model failed where it should have answered. */
public final class ModelException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Creates an exception that names the step that failed. */
  public ModelException(String model, Object state, Call call, Throwable cause) {
    super(
        "the model " + model + " failed on " + call.f() + " " + Text.of(call.value())
            + " in state " + Text.of(state) + ": " + cause,
        cause);
  }
}
