import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'

// The contents of `deploy/k8s`, as far as the code determines them.

const ROOT = 'deploy/k8s'

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
const Container = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
  // Its secrets.
  env: z.preprocess(
    (env) =>
      z
        .array(z.looseObject({}))
        .parse(env)
        .filter((one) => 'valueFrom' in one),
    z.array(
      z.object({
        name: z.string(),
        valueFrom: z.object({
          secretKeyRef: z.object({
            name: z.string(),
            key: z.string(),
            optional: z.boolean().default(false),
          }),
        }),
      }),
    ),
  ),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: z.object({ ...probe.shape, timeoutSeconds: z.number() }),
  lifecycle: z
    .object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) })
    .optional(),
  resources: z.object({
    requests: z.object({
      cpu: z.string(),
      memory: z.string(),
      'ephemeral-storage': z.string(),
    }),
    // A log or emptyDir that fills up ends its own pod, and no other of its node.
    limits: z.object({ memory: z.string(), 'ephemeral-storage': z.string() }),
  }),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
})

const labels = z.record(z.string(), z.string())
const selector = z.object({ matchLabels: labels })
const Spread = z.object({
  topologyKey: z.string(),
  whenUnsatisfiable: z.string(),
  labelSelector: selector,
  matchLabelKeys: z.array(z.string()),
})
const AntiAffinity = z.object({
  podAffinityTerm: z.object({ topologyKey: z.string(), labelSelector: selector }),
})
const Affinity = z.object({
  podAntiAffinity: z.object({
    preferredDuringSchedulingIgnoredDuringExecution: z.array(AntiAffinity),
  }),
})
const Toleration = z.object({ key: z.string(), effect: z.string(), tolerationSeconds: z.number() })
export const Workload = z.object({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number(),
    minReadySeconds: z.number().default(0),
    strategy: z.object({ type: z.string() }).optional(),
    serviceName: z.string().optional(),
    podManagementPolicy: z.string().optional(),
    persistentVolumeClaimRetentionPolicy: labels.optional(),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        serviceAccountName: z.string(),
        automountServiceAccountToken: z.boolean(),
        enableServiceLinks: z.boolean(),
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.unknown(),
        topologySpreadConstraints: z.array(Spread).default([]),
        affinity: Affinity.optional(),
        tolerations: z.array(Toleration).default([]),
        containers: z.array(Container).length(1),
        volumes: z.array(
          z.object({ name: z.string(), emptyDir: z.object({ sizeLimit: z.string() }) }),
        ),
      }),
    }),
    volumeClaimTemplates: z
      .array(
        z.object({
          metadata: z.object({ name: z.string() }),
          spec: z.object({
            resources: z.object({ requests: z.object({ storage: z.string() }) }),
          }),
        }),
      )
      .optional(),
  }),
})
export type Workload = z.infer<typeof Workload>

export const Service = z.object({
  kind: z.literal('Service'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    selector: labels,
    ports: z.array(
      z.object({
        name: z.string(),
        port: z.number(),
        targetPort: z.union([z.string(), z.number()]),
      }),
    ),
  }),
})

/** Of a kustomization: the maps that it makes or adds to. */
export const ConfigMaps = z.object({
  configMapGenerator: z.array(z.object({ name: z.string(), envs: z.array(z.string()) })),
})

/** A patch that removes variables from a map. */
export const ConfigMapPatch = z.object({
  kind: z.literal('ConfigMap'),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.null()),
})

export const DisruptionBudget = z.object({
  kind: z.literal('PodDisruptionBudget'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    maxUnavailable: z.number(),
    unhealthyPodEvictionPolicy: z.string(),
    selector: z.object({ matchLabels: labels }),
  }),
})

export const NetworkPolicy = z.object({
  kind: z.literal('NetworkPolicy'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    egress: z.array(
      z.object({
        ports: z.array(
          z.object({ protocol: z.string(), port: z.number(), endPort: z.number().optional() }),
        ),
      }),
    ),
  }),
})

export const ScaledObject = z.object({
  kind: z.literal('ScaledObject'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    scaleTargetRef: z.object({ kind: z.string(), name: z.string() }),
    minReplicaCount: z.number(),
    maxReplicaCount: z.number(),
    triggers: z.array(z.object({ type: z.string(), metadata: z.record(z.string(), z.string()) })),
  }),
})

const Path = z.object({ type: z.string(), value: z.string() })
export const HttpRoute = z.object({
  kind: z.literal('HTTPRoute'),
  spec: z.object({
    rules: z.array(
      z.object({
        matches: z.array(z.object({ path: Path })),
        timeouts: z.object({ request: z.string() }).optional(),
        backendRefs: z.array(z.object({ name: z.string(), port: z.number() })).default([]),
      }),
    ),
  }),
})

export const Ingress = z.object({
  kind: z.literal('Ingress'),
  metadata: z.object({ name: z.string(), annotations: labels }),
  spec: z.object({
    rules: z.array(
      z.object({
        http: z.object({
          paths: z.array(
            z.object({
              path: z.string(),
              pathType: z.string(),
              backend: z.object({ service: z.object({ name: z.string() }) }),
            }),
          ),
        }),
      }),
    ),
  }),
})

export const AlertRules = z.object({
  kind: z.literal('PrometheusRule'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    groups: z.array(
      z.object({
        name: z.string(),
        rules: z.array(
          z.object({ alert: z.string(), expr: z.string(), for: z.string().default('') }),
        ),
      }),
    ),
  }),
})

export const PodMonitor = z.object({
  kind: z.literal('PodMonitor'),
  spec: z.object({
    podMetricsEndpoints: z.array(
      z.object({ port: z.string(), path: z.string(), interval: z.string() }),
    ),
  }),
})

/** Every object of a folder's files, sorted by file name. */
export function objectsIn(folder: string): unknown[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => objectsOf(join(folder, name)))
}

export function objectsOf(path: string): unknown[] {
  return parseAllDocuments(readFileSync(join(ROOT, path), 'utf8')).map((document): unknown => {
    const [error] = document.errors
    if (error) throw error
    return document.toJS()
  })
}

/** Those of one shape; an object of its kind with another shape is an error. */
export function of<Shape extends { kind: string }>(
  schema: z.ZodType<Shape> & { shape: { kind: z.ZodType } },
  objects: readonly unknown[],
): Shape[] {
  const ofKind = z.object({ kind: schema.shape.kind })
  return objects
    .filter((object) => ofKind.safeParse(object).success)
    .map((object) => schema.parse(object))
}

/** The variables of a file of `NAME=value` lines. */
export function variablesIn(path: string): Record<string, string> {
  const lines = readFileSync(join(ROOT, path), 'utf8').trim().split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      if (line.startsWith('#')) return []
      const [, name = '', value = ''] = /^([A-Z0-9_]+)=(.*)$/.exec(line) ?? []
      if (name === '') throw new Error(`${path}: not a variable: ${line}`)
      return [[name, value]]
    }),
  )
}
