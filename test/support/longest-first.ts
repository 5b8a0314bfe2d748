import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { ROOT } from './tree.ts'

/** Files of more than a minute and a half on two quiet cores, the longest first. */
const LONGEST = [
  'test/faults/stack.test.ts',
  'test/faults/alerts.test.ts',
  'test/faults/upgrade.test.ts',
  'test/faults/kafka-kills.test.ts',
  'test/services/console.test.ts',
  'test/faults/kafka-workers.test.ts',
  'test/services/two-gateways.test.ts',
  'test/services/pairing-deployments.test.ts',
  // Behind these: two browsers at once take more than two cores.
  'test/services/console-layout.test.ts',
  'test/faults/crash-points.test.ts',
]

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.indexOf(relative(ROOT, moduleId))
  return place === -1 ? LONGEST.length : place
}

/** No long file begins when the other workers are done: it would be waited for alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => placeOf(one) - placeOf(other))
  }
}
