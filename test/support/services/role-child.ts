import { readConfig } from '../../../src/cli/terminal/environment.ts'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import { runSingleRole } from '../../../src/roles/single-role.ts'

// One role that kills itself on the n-th pass of a point: started by stack.ts.
const { point, passing } = JSON.parse(process.argv[2] ?? '') as {
  point: CrashPoint
  passing: number
}
const config = readConfig()
const { ROLE } = config
if (ROLE === 'all') throw new Error('expected a single role')
let passings = 0
await runSingleRole(
  { ...config, ROLE },
  {
    onPoint: (passed) => {
      if (passed !== point) return
      passings += 1
      if (passings === passing) process.kill(process.pid, 'SIGKILL')
    },
  },
)
