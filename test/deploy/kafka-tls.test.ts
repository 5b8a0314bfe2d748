import { expect, test } from 'vitest'
import { z } from 'zod'
import { objectsOf } from './manifests.ts'

const Variables = z.object({ data: z.record(z.string(), z.string()) })
const Secret = z.object({
  name: z.string(),
  items: z.array(z.object({ key: z.string(), path: z.string() })),
})
const Volume = z.object({
  name: z.string(),
  secret: Secret.omit({ name: true }).extend({ secretName: z.string() }).optional(),
  projected: z.object({ sources: z.array(z.object({ secret: Secret })) }).optional(),
})
const Mount = z.object({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true) })
const Added = z.tuple([
  z.object({ path: z.string().endsWith('/volumeMounts/-'), value: Mount }),
  z.object({ path: z.string().endsWith('/volumes/-'), value: Volume }),
])
const Job = z.object({
  metadata: z.object({ name: z.literal('backup') }),
  spec: z.object({
    jobTemplate: z.object({
      spec: z.object({
        template: z.object({
          spec: z.object({
            containers: z
              .array(z.object({ name: z.literal('backup'), volumeMounts: z.array(Mount) }))
              .length(1),
            volumes: z.array(Volume),
          }),
        }),
      }),
    }),
  }),
})

/** Files of a volume, and the Secret and key of each. */
const filesOf = ({ secret, projected }: z.infer<typeof Volume>) =>
  [
    ...(secret ? [{ name: secret.secretName, items: secret.items }] : []),
    ...(projected?.sources.map((source) => source.secret) ?? []),
  ].flatMap(({ name, items }) => items.map(({ key, path }) => [path, `${name} ${key}`] as const))

// Strimzi signs certificates of brokers by the authority of the cluster; the Secret of a user has that of clients.
const FROM = {
  KAFKA_TLS_CA_FILE: 'kafka-cluster-ca-cert ca.crt',
  KAFKA_TLS_CERT_FILE: 'kafka-certificate user.crt',
  KAFKA_TLS_KEY_FILE: 'kafka-certificate user.key',
}

test.each(['kafka-certificate', 'logins'])(
  'with %s roles and backup know the brokers by the authority of their cluster',
  (component) => {
    const folder = `components/${component}`
    const { data } = Variables.parse(objectsOf(`${folder}/variables.yaml`)[0])
    const [added] = z.array(z.array(z.unknown())).parse(objectsOf(`${folder}/mount.yaml`))
    const [{ value: mount }, { value: volume }] = Added.parse(added)
    const files = new Map(filesOf(volume).map(([path, key]) => [`${mount.mountPath}/${path}`, key]))
    expect(volume.name).toBe(mount.name)
    expect(files.get(data['KAFKA_TLS_CA_FILE'] ?? '')).toBe(FROM.KAFKA_TLS_CA_FILE)
    for (const [name, from] of Object.entries(FROM)) {
      if (name in data) expect(files.get(data[name] ?? ''), name).toBe(from)
    }
    const { spec } = Job.parse(objectsOf(`${folder}/mount-backup.yaml`)[0])
    const pod = spec.jobTemplate.spec.template.spec
    expect([pod.containers[0]?.volumeMounts, pod.volumes]).toEqual([[mount], [volume]])
  },
)
