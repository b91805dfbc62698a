package interregnum.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Records as the JSON that stands in the store. */
public final class JsonText {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonText() {}

  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + value, e);
    }
  }

  public static <T> T read(String json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + json, e);
    }
  }
}
