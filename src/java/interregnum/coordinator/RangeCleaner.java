package interregnum.coordinator;

import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.DdlStatement.DropIndex;
import interregnum.table.DdlStatement.DropTable;
import interregnum.table.DdlStatement.TruncateTable;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import java.util.List;
import java.util.Optional;

/**
 * Deletes what a finished job left without use: rows and index entries whose ids are never used
 * again. If the owner goes away in the middle the rest stays, which nobody sees.
 */
final class RangeCleaner {
  private static final int BATCH = 1_000;

  private final Reign reign;

  RangeCleaner(Reign reign) {
    this.reign = reign;
  }

  /**
   * Deletes what {@code job} left.
   *
   * @param before the table as it was before the job's last step
   */
  void clean(DdlJob job, TableInfo before) throws InterruptedException {
    boolean done = job.progress().state() == JobState.DONE;
    if (job.statement() instanceof DropTable || job.statement() instanceof TruncateTable) {
      if (done) {
        deletePrefix(Keys.indexPrefix(before.id()));
        deletePrefix(Keys.rowPrefix(before.id()));
      }
    } else if (job.statement() instanceof DropIndex drop && done) {
      deleteEntries(before, before.index(drop.index()));
    } else if (job.statement() instanceof AddIndex add && !done) {
      deleteEntries(before, before.index(add.index()));
    }
  }

  private void deleteEntries(TableInfo table, Optional<IndexInfo> index)
      throws InterruptedException {
    if (index.isPresent()) {
      deletePrefix(Keys.indexPrefix(table.id(), index.get().id()));
    }
  }

  private void deletePrefix(String prefix) throws InterruptedException {
    while (!reign.isDeposed()) {
      StoreTxn txn = reign.node().store().begin();
      List<StoreTxn.Entry> entries = txn.scan(prefix, Keys.end(prefix), BATCH);
      entries.forEach(entry -> txn.delete(entry.key()));
      reign.fence(txn);
      CommitResult result = txn.commit();
      if (result instanceof CommitResult.Fenced) {
        reign.depose();
      }
      if (result instanceof CommitResult.Committed && entries.size() < BATCH) {
        return;
      }
    }
  }
}
