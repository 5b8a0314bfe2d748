import { exitOnSignals, ownTemporaryFolder } from '../../test/support/processes/exit-on-signals.ts'

// Imported first by what measures: however it ends, its servers and its files end with it.

ownTemporaryFolder()
exitOnSignals()
