package interregnum.schema;

import interregnum.table.Keys;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** All tables at one schema version, as one node knows them. Immutable. */
public final class SchemaSnapshot {
  private final long version;
  private final long storeRevision;
  private final Map<String, TableInfo> tables;

  /**
   * @param storeRevision the revision of the store at which this was read
   * @param tables by the keys where they stand
   */
  SchemaSnapshot(long version, long storeRevision, Map<String, TableInfo> tables) {
    this.version = version;
    this.storeRevision = storeRevision;
    this.tables = Collections.unmodifiableMap(new TreeMap<>(tables));
  }

  public long version() {
    return version;
  }

  public long storeRevision() {
    return storeRevision;
  }

  /** The tables by the keys where they stand, those that are being dropped included. */
  public Map<String, TableInfo> tables() {
    return tables;
  }

  /** A table that statements may use. */
  public Optional<TableInfo> table(String database, String name) {
    return Optional.ofNullable(tables.get(Keys.table(database, name)))
        .filter(table -> table.state().isPublic());
  }

  /** The names of a database's tables that statements may use, in order. */
  public List<String> names(String database) {
    String prefix = Keys.tablePrefix(database);
    List<String> names = new ArrayList<>();
    tables.forEach(
        (key, table) -> {
          if (key.startsWith(prefix) && table.state().isPublic()) {
            names.add(table.name());
          }
        });
    return names;
  }

  /** A checksum of all definitions: two nodes that know the same have the same. */
  public String stateHash() {
    CRC32 crc = new CRC32();
    tables.forEach(
        (key, table) -> {
          crc.update(key.getBytes(StandardCharsets.UTF_8));
          crc.update(TableJson.write(table).getBytes(StandardCharsets.UTF_8));
        });
    return Long.toHexString(crc.getValue());
  }
}
