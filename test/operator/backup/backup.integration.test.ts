import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEPT_FREE_BYTES } from '../../../src/adapters/free-space.ts'
import { DEVNET_BASE } from '../../../src/schemas/api/devnet.ts'
import { type Bundle, bundleService } from '../../support/bundle.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { canMount, SmallDisk } from '../../support/faults/small-disk.ts'
import { metricOf } from '../../support/http/metric.ts'
import { ask, importAsk } from '../../support/orders/devnet-asks.ts'
import { waitUntil } from '../../support/services/programs.ts'
import { runMarket, ServiceProcess } from '../../support/services/service-process.ts'

// A service on its devnet is backed up while orders are imported, and is then lost with its folder.

const PATIENCE_MS = 180_000
const room = temporaryDirectory()
const at = (...names: string[]) => join(room.path, ...names)
let bundle: Bundle
/** Orders that were answered before the backup began, and after. */
const before: string[] = []
const after: string[] = []
/** The height of the last block that both folds had when it began, and what they answered. */
let height: number
let answers: unknown[]

const variables = (dataDir: string, others: Record<string, string> = {}) => ({
  DATA_DIR: dataDir,
  PORT: '0',
  METRICS_PORT: '0',
  ORDER_PARTITIONS: '4',
  RATE_LIMIT_IMPORT: '100000',
  ...others,
})
const market = (args: string[], dataDir: string, others: Record<string, string> = {}) =>
  runMarket(bundle, args, variables(dataDir, others))

/** Once both folds have a block that is mined now: its height, and how many blocks each has read. */
async function folded(service: ServiceProcess, address: string) {
  const [, metrics = ''] = await service.saying(/^ +metrics +(\S+)\/metrics$/m)
  const { body: mined } = await ask(address, `${DEVNET_BASE}/mine`, { blocks: 1 })
  const tips = async () => {
    const { body: checkpoints } = await ask(address, '/pairing/checkpoints?limit=1')
    return [checkpoints.items?.[0], (await ask(address, '/circles/state')).body]
  }
  await waitUntil('both have the block', async () =>
    (await tips()).every((tip) => tip?.blockHash === mined.blocks[0]),
  )
  const read = ['pairing', 'circles'].map((fold) =>
    metricOf(metrics, `market_${fold}_blocks_total`),
  )
  return { height: Number((await tips())[1].height), read: await Promise.all(read) }
}
const foldAnswers = (address: string) =>
  Promise.all(
    ['/pairing/objects', '/circles/states'].map(async (path) => (await ask(address, path)).body),
  )

beforeAll(async () => {
  bundle = await bundleService()
  await using service = new ServiceProcess(bundle, ['start'], variables(at('data')))
  const address = await service.ready()
  for (let n = 0; n < 12; n += 1) before.push((await importAsk(address, `seller ${n}`)).id)
  ;({ height } = await folded(service, address))
  answers = await foldAnswers(address)
  let isOver = false
  const load = (async () => {
    for (let n = 0; !isOver; n += 1) after.push((await importAsk(address, `later seller ${n}`)).id)
  })()
  const { code, stdout, stderr } = await market(['backup', at('backup')], at('data'))
  isOver = true
  await load
  expect([code, stderr]).toEqual([0, ''])
  expect(after.length).toBeGreaterThan(0)
  expect(stdout).toMatch(/^made at {2}.+ on regtest\nlog {6}\S+\n/)
  await service.end('SIGKILL')
}, PATIENCE_MS)
afterAll(() => {
  bundle?.drop()
  room.drop()
})

test(
  'what was answered before the backup is there after all else is lost, and the audit is clean',
  async () => {
    rmSync(at('data'), { recursive: true })
    expect(await market(['verify-backup', at('backup')], at('data'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nas it was written\n$/),
    })
    const restored = await market(['restore', at('backup')], at('restored'))
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    await using service = new ServiceProcess(bundle, ['start'], variables(at('restored')))
    const address = await service.ready()
    const now = await folded(service, address)
    for (const blocks of now.read) expect(blocks).toBeLessThanOrEqual(now.height - height)
    expect(await foldAnswers(address)).toEqual(answers)
    for (const id of before) {
      expect((await ask(address, `orders/${id}`)).body, id).toMatchObject({ id, state: 'LIVE' })
    }
    expect((await importAsk(address, 'after all')).state).toBe('LIVE')
    await service.end()
    const audit = await market(['audit'], at('restored'))
    expect(audit.stdout + audit.stderr).toMatch(/\nclean: every invariant holds\n$/)
  },
  PATIENCE_MS,
)

test('a backup is private, and names each of its files', () => {
  const { entries, ...rest } = JSON.parse(readFileSync(at('backup/backup.json'), 'utf8'))
  expect(rest).toMatchObject({ format: 1, network: 'regtest', logId: expect.any(String) })
  const paths = entries.map(({ path }: { path: string }) => path)
  expect(paths).toEqual(
    expect.arrayContaining(['store/market.mdb', 'devnet/devnet.mdb', 'cursor.key', 'webhook.key']),
  )
  expect(statSync(at('backup')).mode & 0o077).toBe(0)
  expect(paths.indexOf('devnet/devnet.mdb')).toBeGreaterThan(paths.indexOf('store/market.mdb'))
})

describe('a backup that is not as it was written is refused', () => {
  const STORE = 'store/market.mdb'
  const damaged = (name: string, damage: (folder: string) => void): string => {
    const folder = at(`damaged ${name}`)
    cpSync(at('backup'), folder, { recursive: true })
    damage(folder)
    return folder
  }
  const flip = (path: string) => {
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }

  test.each<[string, (folder: string) => void, string]>([
    ['cut', (folder) => writeFileSync(join(folder, STORE), 'x'), `${STORE} has 1 bytes`],
    ['longer', (folder) => appendFileSync(join(folder, STORE), 'x'), `${STORE} has `],
    ['other', (folder) => flip(join(folder, STORE)), `${STORE} has other contents`],
    [
      'swapped',
      (folder) => copyFileSync(join(folder, 'cursor.key'), join(folder, 'webhook.key')),
      'webhook.key has other contents',
    ],
    ['missing', (folder) => rmSync(join(folder, 'cursor.key')), 'cursor.key is missing'],
  ])('%s', async (name, damage, problem) => {
    const folder = damaged(name, damage)
    const verified = await market(['verify-backup', folder], at('nothing'))
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining(problem)])
    const restored = await market(['restore', folder], at('nothing'))
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining(problem)])
    expect(existsSync(at('nothing'))).toBe(false)
  })

  test.each<[string, (folder: string) => void, string]>([
    [
      'unfinished',
      (folder) => rmSync(join(folder, 'backup.json')),
      'is no backup, or one that was not finished',
    ],
    [
      'pointing elsewhere',
      (folder) => {
        const path = join(folder, 'backup.json')
        writeFileSync(path, readFileSync(path, 'utf8').replace('"cursor.key"', '"../cursor.key"'))
      },
      'is no manifest of a backup that this release reads',
    ],
  ])('%s', async (name, damage, problem) => {
    const folder = damaged(name, damage)
    for (const command of ['verify-backup', 'restore']) {
      const { code, stderr } = await market([command, folder], at('nothing'))
      expect([code, stderr]).toEqual([1, expect.stringContaining(problem)])
    }
  })
})

describe('nothing is overwritten', () => {
  test('a folder that is not empty gets no backup, nor does one in DATA_DIR', async () => {
    mkdirSync(at('taken'))
    writeFileSync(at('taken/file'), 'mine')
    const taken = await market(['backup', at('taken')], at('restored'))
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
    const inside = await market(['backup', at('restored/backup')], at('restored'))
    expect(inside).toMatchObject({ code: 1, stderr: expect.stringContaining('is in DATA_DIR') })
  })

  test('what a disk has at its root is no store, and no content', async () => {
    for (const name of ['restored/lost+found', 'disk/lost+found'])
      mkdirSync(at(name), { recursive: true })
    writeFileSync(at('restored/lost+found/found.mdb'), 'no store')
    const made = await market(['backup', at('disk')], at('restored'))
    expect([made.code, made.stderr]).toEqual([0, expect.any(String)])
    const checked = await market(['verify-backup', at('disk')], at('nothing'))
    expect([checked.code, checked.stdout]).toEqual([0, expect.not.stringContaining('found')])
  })

  test('no key of heads is taken where no head is read', async () => {
    const { code, stderr } = await market(
      ['verify-backup', at('backup'), '--heads-key', 'aa'.repeat(32)],
      at('nothing'),
    )
    expect([code, stderr]).toEqual([1, expect.stringContaining('run market audit with')])
  })

  test('a DATA_DIR that has a store stays as it is', async () => {
    const { code, stderr } = await market(['restore', at('backup')], at('restored'))
    expect([code, stderr]).toEqual([1, expect.stringContaining('has a store')])
  })

  test('a history that may know more than the backup is refused, and stores elsewhere are named', async () => {
    mkdirSync(at('behind/history'), { recursive: true })
    const refused = await market(['restore', at('backup')], at('behind'))
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`${at('behind/history')} may have changes that the backup has not`),
    ])
    rmSync(at('behind/history'), { recursive: true })
    const elsewhere = {
      REDIS_URL: 'redis://127.0.0.1:1',
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      CURSOR_KEY: 'k'.repeat(43),
    }
    const { code, stdout } = await market(['restore', at('backup')], at('behind'), elsewhere)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/: empty Redis and the history, then start the service\n$/),
    ])
  })

  test('a backup of another network is refused', async () => {
    const signet = { BITCOIN_NETWORK: 'signet' }
    const { code, stderr } = await market(['restore', at('backup')], at('nothing'), signet)
    expect([code, stderr]).toEqual([1, expect.stringContaining('set BITCOIN_NETWORK=regtest')])
  })
})

test('an interrupted restore is repeated', async () => {
  mkdirSync(at('again/.restore/store'), { recursive: true })
  writeFileSync(at('again/.restore/store/market.mdb'), 'a part')
  cpSync(at('backup/devnet'), at('again/devnet'), { recursive: true })
  expect(await market(['restore', at('backup')], at('again'))).toMatchObject({ code: 0 })
  expect(existsSync(at('again/.restore'))).toBe(false)
  expect((await market(['audit'], at('again'))).stdout).toMatch(/\nclean: every invariant holds\n$/)
})

describe('cut off at any moment, a restore leaves no store or the whole one', () => {
  const KILLS = 4
  const partIn = (dataDir: string) => existsSync(join(dataDir, '.restore'))
  /** A restore that is under way, or already over. */
  async function restoring(dataDir: string): Promise<ServiceProcess> {
    const restore = new ServiceProcess(bundle, ['restore', at('backup')], variables(dataDir))
    let isOver = false
    const over = restore.ended().then(() => {
      isOver = true
    })
    while (!isOver && !partIn(dataDir)) await Promise.race([over, delay(1)])
    return restore
  }
  async function isWhole(dataDir: string): Promise<void> {
    if (!existsSync(join(dataDir, 'store')))
      expect(await market(['restore', at('backup')], dataDir)).toMatchObject({
        code: 0,
        stderr: '',
      })
    expect((await market(['audit'], dataDir)).stdout).toMatch(/\nclean: every invariant holds\n$/)
  }

  test(
    'by SIGKILL',
    async () => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const dataDir = at(`killed ${kill}`)
        const restore = await restoring(dataDir)
        await delay(3 * kill)
        await restore.end('SIGKILL')
        await isWhole(dataDir)
        // An empty folder is left if it ended between its last two steps.
        expect(partIn(dataDir) ? readdirSync(join(dataDir, '.restore')) : []).toEqual([])
      }
    },
    PATIENCE_MS,
  )

  test.skipIf(!canMount)(
    'by a disk that fills, or is too small',
    async () => {
      using disk = new SmallDisk('160m')
      const dataDir = join(disk.path, 'data')
      disk.leaveFree(KEPT_FREE_BYTES)
      const refused = await market(['restore', at('backup')], dataDir)
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('MiB left')])
      expect(existsSync(join(dataDir, 'store'))).toBe(false)
      disk.leaveFree(128 * 2 ** 20)
      const restore = await restoring(dataDir)
      disk.leaveFree(0)
      const { code, stderr } = await restore.ended()
      if (code !== 0) expect(stderr).toContain('is full')
      expect(existsSync(join(dataDir, 'store'))).toBe(code === 0)
      disk.leaveFree(128 * 2 ** 20)
      await isWhole(dataDir)
    },
    PATIENCE_MS,
  )
})
