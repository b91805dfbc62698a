package interregnum.check.fast;

import java.util.Arrays;
import java.util.Objects;

/** Numbers objects from 0, in the order in which they first come; equal ones have one number. */
final class Numbering {

  private static final int FREE = -1;

  private Object[] objects = new Object[64];
  private int[] numbers = new int[64];
  private int size;

  Numbering() {
    Arrays.fill(numbers, FREE);
  }

  /** Returns the number of an object, which may be nil. */
  int of(Object object) {
    int slot = slot(object);
    if (numbers[slot] == FREE) {
      if (2 * size >= numbers.length) {
        grow();
        slot = slot(object);
      }
      objects[slot] = object;
      numbers[slot] = size++;
    }
    return numbers[slot];
  }

  /** Whether the object has a number. */
  boolean contains(Object object) {
    return numbers[slot(object)] != FREE;
  }

  /** How many objects have a number. */
  int size() {
    return size;
  }

  private int slot(Object object) {
    int mask = numbers.length - 1;
    int slot = Objects.hashCode(object) * 0x9E3779B9 >>> Integer.numberOfLeadingZeros(mask);
    while (numbers[slot] != FREE && !Objects.equals(objects[slot], object)) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private void grow() {
    Object[] oldObjects = objects;
    int[] oldNumbers = numbers;
    objects = new Object[2 * oldObjects.length];
    numbers = new int[objects.length];
    Arrays.fill(numbers, FREE);
    for (int i = 0; i < oldObjects.length; i++) {
      if (oldNumbers[i] != FREE) {
        int slot = slot(oldObjects[i]);
        objects[slot] = oldObjects[i];
        numbers[slot] = oldNumbers[i];
      }
    }
  }
}
