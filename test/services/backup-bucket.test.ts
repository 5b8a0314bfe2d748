import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { MAX_FILE_BYTES } from '../../src/operator/backup/files/backup-files.ts'
import { openFiles } from '../../src/operator/backup/files/open-files.ts'
import { backupFilesContract } from '../contracts/backup-files.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { S3Server } from '../support/processes/s3-server.ts'
import { runMarket } from '../support/services/service-process.ts'

// A bucket of a real S3 server as the place of a backup. That a log is backed up into one and restored from it is in
// kafka-restore.test.ts.

/** The answers of a list have a thousand names each. */
const MANY = 1_005

let bundle: Bundle
let server: S3Server
let opened = 0

beforeAll(async () => {
  server = await S3Server.start()
  bundle = await bundleService()
  for (const [name, value] of Object.entries(server.variables)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server?.stop()
  bundle?.drop()
})

const newPrefix = () => {
  opened += 1
  return `s3://${server.bucket}/of a test/${opened}`
}
const open = (where = newPrefix()) => openFiles(where, server.variables)

describe('the files of a bucket', () => {
  backupFilesContract(open)

  test('are found under a prefix with or without a slash at its end, or under none', async () => {
    const where = newPrefix()
    await (await open(`${where}/`)).write('log.json', Buffer.from('{}'))
    expect(await (await open(where)).names()).toEqual(['log.json'])
    expect(await (await open(`s3://${server.bucket}`)).names()).toContain('of a test')
  })

  test(`are all named, also ${MANY} of them`, { timeout: 60_000 }, async () => {
    const files = await open()
    const names = Array.from({ length: MANY }, (_, n) => `${n}.gz`)
    for (const name of names) await files.write(`a-0/${name}`, Buffer.from(name))
    expect((await files.names('a-0')).toSorted()).toEqual(names.toSorted())
  })

  test('are not read beyond the largest file of a backup', async () => {
    const where = newPrefix()
    const files = await open(where)
    await files.write('log.json', Buffer.from('{}'))
    const path = new URL(where).pathname.slice(1)
    truncateSync(join(server.folder, decodeURI(path), 'log.json'), MAX_FILE_BYTES + 1)
    await expect(files.read('log.json')).rejects.toThrow('is no file of a backup')
  })
})

describe('what is refused says what to do', () => {
  const verified = async (where: string, more: Record<string, string> = {}) => {
    const { code, stderr } = await runMarket(bundle, ['verify-backup', where], {
      ...server.variables,
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: server.folder,
      ...more,
    })
    return [code, stderr]
  }

  test.each<[string, () => string, Record<string, string>, string]>([
    ['no bucket', () => 's3://', {}, 'names no bucket: give s3://BUCKET/PREFIX'],
    ['a bad name', () => 's3://Not_A_Bucket/x', {}, 'names no bucket'],
    ['an empty part', () => 's3://backups//x', {}, 'names no bucket'],
    ['no such bucket', () => 's3://elsewhere/x', {}, 'cannot be used: NoSuchBucket'],
    ['nothing there', newPrefix, {}, 'has no backup of a log, or one that was not finished'],
    ['another secret', newPrefix, { AWS_SECRET_ACCESS_KEY: 'x' }, 'SignatureDoesNotMatch'],
    ['no region', newPrefix, { AWS_REGION: '' }, 'set AWS_REGION'],
    ['no credentials', newPrefix, { AWS_ACCESS_KEY_ID: '' }, 'give AWS_ACCESS_KEY_ID'],
    [
      'no such server',
      newPrefix,
      { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
      'cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    ],
  ])('%s', async (_, where, more, said) => {
    expect(await verified(where(), more)).toEqual([1, expect.stringContaining(said)])
  })

  test('a secret is in no message', async () => {
    const secret = server.variables['AWS_SECRET_ACCESS_KEY'] ?? ''
    const said = await verified('s3://elsewhere/x')
    expect(String(said)).not.toContain(secret)
  })

  test('a manifest that is none', async () => {
    const where = newPrefix()
    await (await open(where)).write('log.json', Buffer.from('{}'))
    expect(await verified(where)).toEqual([
      1,
      expect.stringContaining(`log.json in ${where} is no manifest of a backup`),
    ])
  })

  test('a backup of DATA_DIR, which is copied to a folder', async () => {
    const { code, stderr } = await runMarket(bundle, ['backup', newPrefix()], server.variables)
    expect([code, stderr]).toEqual([1, expect.stringContaining('is copied to a folder alone')])
  })

  test('what .env says of the bucket is used', async () => {
    const where = newPrefix()
    const file = join(server.folder, '..', 'env')
    const lines = Object.entries(server.variables).map(([name, value]) => `${name}=${value}`)
    writeFileSync(file, lines.join('\n'), { mode: 0o600 })
    const { code, stderr } = await runMarket(bundle, ['verify-backup', where], { ENV_FILE: file })
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no backup of a log')])
  })
})
