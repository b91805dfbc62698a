package interregnum.store;

import java.util.Comparator;

/** The order of keys in the store: that of their UTF-8 bytes, not of Java's char values. */
enum KeyOrder implements Comparator<String> {
  INSTANCE;

  @Override
  public int compare(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        return Integer.compare(rank(x), rank(y));
      }
    }
    return Integer.compare(a.length(), b.length());
  }

  /** Surrogates stand for code points above all others, though some chars are above them. */
  private static int rank(char c) {
    return Character.isSurrogate(c) ? c + 0x10000 : c;
  }
}
