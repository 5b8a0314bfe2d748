import { statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

const BUNDLES_OF_RUN = 'test/support/bundles-of-run.ts'
const MEMORY = '/dev/shm'
/** Several times what a run has at once. */
const ROOM_BYTES = 2 ** 29
/** With the data of the servers. */
const ROOM_OF_SERVERS_BYTES = 2 ** 32

/**
 * Tests write and remove folders of small files all the time: in memory, where there is so much
 * room. The suites with processes that are killed or have a full disk write to the disk.
 */
function temporaryFolder(roomBytes: number): Record<string, string> {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > roomBytes ? { TMPDIR: MEMORY } : {}
  } catch {
    return {}
  }
}

const INTEGRATION = 'test/**/*.integration.test.ts'

// No program that a test starts reads the `.env` that is in this clone.
process.env['ENV_FILE'] = ''

/** A busy machine is waited for: vitest gives it one second. */
const PATIENT = { expect: { poll: { timeout: 20_000 } } }

/** A worker imports a module once for all its files: no test may leave one changed. */
const SHARED_MODULES = { isolate: false }

const WITHOUT_SERVERS = {
  ...PATIENT,
  ...SHARED_MODULES,
  env: temporaryFolder(ROOM_BYTES),
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    // A test file waits for clocks and programs for a third of its time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [INTEGRATION, 'test/services/**', 'test/faults/**', 'test/abuse/**'],
          ...WITHOUT_SERVERS,
        },
      },
      {
        // Components in a document without a browser.
        extends: 'console/vite.config.ts',
        test: {
          name: 'console',
          root: import.meta.dirname,
          include: ['console/test/**/*.test.tsx'],
          environment: 'happy-dom',
          ...PATIENT,
          testTimeout: 60_000,
        },
      },
      {
        // What starts a process, a gateway or the whole service: test/suites.test.ts.
        test: {
          name: 'integration',
          include: [INTEGRATION],
          globalSetup: [BUNDLES_OF_RUN],
          ...WITHOUT_SERVERS,
        },
      },
      {
        test: {
          name: 'services',
          ...PATIENT,
          ...SHARED_MODULES,
          include: ['test/services/**/*.test.ts'],
          env: temporaryFolder(ROOM_OF_SERVERS_BYTES),
          globalSetup: ['test/support/built.ts', BUNDLES_OF_RUN],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        // Killed processes: minutes of wall-clock, so not part of `npm test`.
        test: {
          name: 'faults',
          ...PATIENT,
          ...SHARED_MODULES,
          include: ['test/faults/**/*.test.ts'],
          globalSetup: [BUNDLES_OF_RUN],
          testTimeout: 600_000,
          hookTimeout: 240_000,
        },
      },
      {
        // Strangers at a service on real parts; ABUSE=long sends all that docs/abuse.md gives figures of.
        test: {
          name: 'abuse',
          ...PATIENT,
          ...SHARED_MODULES,
          include: ['test/abuse/**/*.test.ts'],
          globalSetup: [BUNDLES_OF_RUN],
          testTimeout: process.env['ABUSE'] === 'long' ? 3_600_000 : 240_000,
          hookTimeout: 240_000,
          // It times honest requests.
          fileParallelism: false,
        },
      },
    ],
  },
})
