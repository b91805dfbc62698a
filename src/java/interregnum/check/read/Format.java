package interregnum.check.read;

/** How a file writes a history. */
public enum Format {
  /** Maps as Jepsen writes them, one after the other or in a vector or list. */
  EDN,
  /** One JSON object per line, or an array of objects. */
  JSON,
  /** Lines {@code INFO jepsen.util - process :type :f value}. */
  LOG;

  /** Tells the format from the beginning of a file. */
  static Format of(Blocks.Block beginning) {
    byte[] text = beginning.text();
    int length = beginning.length();
    int i = 0;
    boolean array = false;
    while (i < length && (isBlank(text[i]) || text[i] == '[')) {
      array |= text[i] == '[';
      i++;
    }
    if (i == length) {
      return array ? JSON : EDN;
    }
    if (text[i] == '{') {
      int next = i + 1;
      while (next < length && isBlank(text[next])) {
        next++;
      }
      return next < length && text[next] == '"' ? JSON : EDN;
    }
    return text[i] == 'I' || text[i] == 'D' || text[i] == 'W' ? LOG : EDN;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == ',';
  }
}
