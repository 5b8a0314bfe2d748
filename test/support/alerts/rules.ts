import type { z } from 'zod'
import { AlertRules, objectsIn, of } from '../../deploy/manifests.ts'

/** An alert as Prometheus evaluates it; `for` is empty for one that fires at once. */
export type AlertRule = z.infer<typeof AlertRules>['spec']['groups'][number]['rules'][number]

/** The rules of the manifests, in order. */
export const rules: readonly AlertRule[] = of(
  AlertRules,
  objectsIn('components/monitoring'),
).flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules))
