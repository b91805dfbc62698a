/**
 * Time, tasks, waiting, randomness, and what may come of asking the outside world.
 *
 * <p>Node code knows the world only through the interfaces of this package and of {@code etcd},
 * {@code store} and {@code transport}; that is what lets the same code run on real threads and on a
 * deterministic simulation.
 */
package interregnum.runtime;
