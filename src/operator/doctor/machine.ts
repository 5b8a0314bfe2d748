import { existsSync } from 'node:fs'
import { mkdtemp, rmdir, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { KEPT_FREE_BYTES } from '../../adapters/free-space.ts'
import { type Config, localAddress } from '../../schemas/config/config.ts'
import { type Check, type Finding, fail, messageOf, ok, warn } from './finding.ts'

const OLDEST_NODE = [20, 19] as const
const GIB = 2 ** 30
const LITTLE_BYTES = 5 * GIB
const ASKED_MS = 2_000

/** The program, DATA_DIR and the ports. */
export const machineChecks = (config: Config): Check[] => [
  {
    name: 'program',
    needs: [],
    cure: 'install Node 20.19 or newer',
    look: async () => [programFinding()],
  },
  {
    name: 'data',
    needs: ['DATA_DIR'],
    cure: 'set DATA_DIR to a folder on a working disk',
    look: () => dataFindings(config),
  },
  {
    name: 'ports',
    needs: ['HOST', 'PORT', 'METRICS_PORT'],
    cure: 'set HOST, PORT and METRICS_PORT',
    look: async () => [
      await portFinding('PORT', config.HOST, config.PORT, '/livez'),
      await portFinding('METRICS_PORT', config.HOST, config.METRICS_PORT, '/metrics'),
    ],
  },
]

function programFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  const what = `Node ${process.versions.node} on ${process.platform} ${process.arch}`
  return isNew ? ok(what) : fail(what, 'install Node 20.19 or newer')
}

async function dataFindings({ DATA_DIR }: Config): Promise<Finding[]> {
  const directory = resolve(DATA_DIR)
  let there = directory
  while (!existsSync(there)) there = dirname(there)
  const isMade = there === directory
  return [await writableFinding(directory, there, isMade), await spaceFinding(there)]
}

async function writableFinding(
  directory: string,
  there: string,
  isMade: boolean,
): Promise<Finding> {
  try {
    await rmdir(await mkdtemp(join(there, '.market-doctor-')))
  } catch (error) {
    return fail(
      `DATA_DIR ${directory} cannot be written: ${messageOf(error)}`,
      `make ${there} writable for the user of the service, or set DATA_DIR to another folder`,
    )
  }
  return ok(
    isMade
      ? `DATA_DIR ${directory} is writable`
      : `DATA_DIR ${directory} does not exist yet: the service creates it`,
  )
}

async function spaceFinding(directory: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(directory)
  const free = bavail * bsize
  const what = `${(free / GIB).toFixed(1)} GiB free on the disk of DATA_DIR`
  const cure = 'free space on that disk, or set DATA_DIR to a folder on another one'
  if (free < KEPT_FREE_BYTES) return fail(what, cure)
  return free < LITTLE_BYTES ? warn(what, cure) : ok(what)
}

async function portFinding(
  name: 'PORT' | 'METRICS_PORT',
  host: string,
  port: number,
  path: string,
): Promise<Finding> {
  const place = `${host} port ${port} (${name})`
  if (port === 0) return ok(`${name} is 0: the system chooses a free port`)
  const trouble = await listenTrouble(host, port)
  if (trouble === null) return ok(`${place} is free`)
  if (trouble !== 'EADDRINUSE') {
    return fail(
      `${place} cannot be opened: ${trouble}`,
      `set HOST to an address of this machine and ${name} to a port above 1023`,
    )
  }
  const answer = await fetch(`${localAddress({ HOST: host, PORT: port })}${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(ASKED_MS),
  }).catch(() => null)
  await answer?.body?.cancel()
  return answer?.ok
    ? ok(`${place} is in use by a service that answers ${path}, apparently this one`)
    : fail(
        `${place} is in use by another program`,
        `set ${name} to a free port, or stop that program`,
      )
}

/** Null: it could be opened, and was closed again. */
const listenTrouble = (host: string, port: number): Promise<string | null> =>
  new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => done(null)))
  })
