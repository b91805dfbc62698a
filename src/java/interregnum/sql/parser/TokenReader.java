package interregnum.sql.parser;

import interregnum.error.SqlException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Reads a statement's tokens from left to right. Whatever does not fit is a syntax error. */
final class TokenReader {

  /** A table's name; the database is empty if none was written. */
  record Name(String database, String name) {}

  private final String sql;
  private final List<Token> tokens;
  private int at;

  TokenReader(String sql, List<Token> tokens) {
    this.sql = sql;
    this.tokens = tokens;
  }

  Token peek() {
    return tokens.get(at);
  }

  Token peek(int ahead) {
    return tokens.get(Math.min(at + ahead, tokens.size() - 1));
  }

  Token next() {
    Token token = peek();
    at = Math.min(at + 1, tokens.size() - 1);
    return token;
  }

  boolean atEnd() {
    return peek().kind() == Token.Kind.END;
  }

  /** Takes these keywords if they come next, all or none. */
  boolean take(String... keywords) {
    for (int i = 0; i < keywords.length; i++) {
      if (!peek(i).is(keywords[i])) {
        return false;
      }
    }
    at += keywords.length;
    return true;
  }

  boolean takeSymbol(String symbol) {
    boolean matches = peek().isSymbol(symbol);
    at += matches ? 1 : 0;
    return matches;
  }

  void expect(String... keywords) {
    if (!take(keywords)) {
      throw unexpected();
    }
  }

  void expectSymbol(String symbol) {
    if (!takeSymbol(symbol)) {
      throw unexpected();
    }
  }

  void expectEnd() {
    if (!atEnd()) {
      throw unexpected();
    }
  }

  /** An identifier, quoted or not. */
  String name() {
    Token token = peek();
    boolean isName =
        token.kind() == Token.Kind.QUOTED_NAME
            || token.kind() == Token.Kind.WORD && token.text().charAt(0) != '@';
    if (!isName || token.text().isEmpty()) {
      throw unexpected();
    }
    return next().text();
  }

  /** {@code [database.]table}. */
  Name tableName() {
    String first = name();
    return takeSymbol(".") ? new Name(first, name()) : new Name("", first);
  }

  /** A list of names in parentheses; lengths and directions after them are skipped. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    expectSymbol("(");
    do {
      names.add(name());
      skipParentheses();
      if (!take("ASC")) {
        take("DESC");
      }
    } while (takeSymbol(","));
    expectSymbol(")");
    return names;
  }

  /** An unsigned whole number. */
  BigInteger integer() {
    Token token = peek();
    if (token.kind() != Token.Kind.NUMBER || !token.text().chars().allMatch(Character::isDigit)) {
      throw unexpected();
    }
    return new BigInteger(next().text());
  }

  /** Skips {@code ( ... )} if that comes next. */
  void skipParentheses() {
    if (takeSymbol("(")) {
      int depth = 1;
      while (depth > 0) {
        if (atEnd()) {
          throw unexpected();
        }
        Token token = next();
        depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      }
    }
  }

  /** The syntax error of a statement that does not go on like this. */
  SqlException unexpected() {
    return Lexer.syntaxError(sql, peek().position());
  }
}
