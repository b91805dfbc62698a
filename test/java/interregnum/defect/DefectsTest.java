package interregnum.defect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class DefectsTest {

  @Test
  void aNodeWithoutDefectsIsCorrect() {
    assertThat(Defects.modes(List.of())).isEqualTo(Modes.CORRECT);
  }

  @Test
  void everyDefectChangesAModeAndIsFullyDescribed() {
    for (Defect defect : Defects.all()) {
      assertThat(Defects.modes(List.of(defect.id()))).as(defect.id()).isNotEqualTo(Modes.CORRECT);
      assertThat(defect.reference()).as(defect.id()).isNotBlank();
      assertThat(defect.removes()).as(defect.id()).isNotBlank();
      assertThat(defect.place()).as(defect.id()).isNotBlank();
      assertThat(defect.invariants()).as(defect.id()).isNotEmpty();
    }
  }

  @Test
  void everyDefectNamesAClassThatExists() {
    for (Defect defect : Defects.all()) {
      assertThat(defect.place())
          .as(defect.id())
          .satisfies(place -> Class.forName("interregnum." + place));
    }
  }

  @Test
  void twoDefectsGiveOtherModesThanEither() {
    List<String> both = List.of("tidb-52600", "serve-after-lease");
    Modes modes = Defects.modes(both);
    for (String id : both) {
      assertThat(modes).isNotEqualTo(Defects.modes(List.of(id)));
    }
  }

  @Test
  void refusesAnUnknownNameWithTheListOfKnownOnes() {
    assertThatThrownBy(() -> Defects.modes(List.of("tidb-52600", "tidb-1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tidb-1")
        .hasMessageContaining("tidb-52600")
        .hasMessageContaining("serve-after-lease");
  }
}
