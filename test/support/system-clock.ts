/** Real time, for tests that run beside real programs. */
export { systemClock } from '../../src/adapters/embedded/system-clock.ts'
