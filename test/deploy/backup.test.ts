import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { containerOf, VERSION, workload } from './settings.ts'

const [, text = ''] =
  /```yaml\n(apiVersion: batch\/v1\n[\s\S]*?)```/.exec(
    readFileSync('docs/kubernetes.md', 'utf8'),
  ) ?? []

test('the backup job of the docs may run where the roles may', () => {
  const pod = parse(text).spec.jobTemplate.spec.template.spec
  const [container] = pod.containers
  const { fsGroupChangePolicy: _, ...ofRoles } = workload('projector').spec.template.spec
    .securityContext as Record<string, unknown>
  expect(pod.securityContext).toEqual(ofRoles)
  // It writes to its volume, and to /tmp.
  const { readOnlyRootFilesystem: __, ...ofContainers } = containerOf('projector')
    .securityContext as Record<string, unknown>
  expect(container.securityContext).toEqual(ofContainers)
  expect(container.image).toBe(`market:${VERSION}`)
})
