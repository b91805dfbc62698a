package interregnum.failpoint;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an armed failpoint does: {@code
 * [PERCENT%][COUNT*]off|pause|sleep(MS)|error|crash[:label=value,...]}, for example {@code
 * 50%3*sleep(100):table=t1,node=n1}.
 *
 * @param percent how likely it is that a hit counts at all
 * @param count how many hits it acts on, 0 for all
 * @param filter the labels a hit must carry
 */
record FailpointTerm(
    Action action, Duration sleep, int percent, int count, Map<String, String> filter) {
  private static final Pattern SYNTAX =
      Pattern.compile(
          "(?:(\\d{1,2}|100)%)?(?:(\\d{1,9})\\*)?"
              + "(off|pause|sleep\\((\\d{1,9})\\)|error|crash)(?::(.+))?");

  enum Action {
    OFF,
    PAUSE,
    SLEEP,
    ERROR,
    CRASH
  }

  /**
   * Reads a term.
   *
   * @throws IllegalArgumentException if it is not one; the message is for people
   */
  static FailpointTerm parse(String text) {
    Matcher matcher = SYNTAX.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "failpoint term '" + text
              + "': expected [P%][N*]off|pause|sleep(MS)|error|crash[:key=value]");
    }
    String word = matcher.group(3);
    Action action =
        word.startsWith("sleep") ? Action.SLEEP : Action.valueOf(word.toUpperCase(Locale.ROOT));
    Duration sleep =
        action == Action.SLEEP
            ? Duration.ofMillis(Long.parseLong(matcher.group(4)))
            : Duration.ZERO;
    int percent = matcher.group(1) == null ? 100 : Integer.parseInt(matcher.group(1));
    int count = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
    return new FailpointTerm(action, sleep, percent, count, parseFilter(text, matcher.group(5)));
  }

  private static Map<String, String> parseFilter(String term, String text) {
    Map<String, String> filter = new TreeMap<>();
    if (text == null) {
      return filter;
    }
    for (String pair : text.split(",")) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "failpoint term '" + term + "': filter '" + pair + "' is not key=value");
      }
      filter.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return filter;
  }

  /** Whether every label of the filter is among {@code labels}, each {@code key=value}. */
  boolean matches(String[] labels) {
    for (Map.Entry<String, String> wanted : filter.entrySet()) {
      String label = wanted.getKey() + "=" + wanted.getValue();
      boolean found = false;
      for (String candidate : labels) {
        found |= candidate.equals(label);
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }
}
