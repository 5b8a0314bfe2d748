import { hash } from 'node:crypto'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { BackupRefusedError } from '../manifest.ts'
import { type BackupFiles, MAX_FILE_BYTES } from './backup-files.ts'

const CONNECT_MS = 5_000
/** Without a byte. */
const SILENT_MS = 60_000
const ATTEMPTS = 4

/**
 * A backup in a bucket of an S3 service. Region, endpoint and credentials are those that the client of AWS
 * finds: in AWS_* variables, the files of a profile, or the role of a pod or machine.
 */
export class BucketFiles implements BackupFiles {
  readonly where: string
  readonly #client: S3Client
  readonly #bucket: string
  /** Empty, or ends with a slash. */
  readonly #prefix: string

  /** `where`: `s3://BUCKET/PREFIX`. Throws `BackupRefusedError`. */
  constructor(where: string, env: NodeJS.ProcessEnv) {
    const [, bucket, prefix = ''] = ADDRESS.exec(where) ?? []
    if (bucket === undefined)
      throw new BackupRefusedError(`${where} names no bucket: give s3://BUCKET/PREFIX`)
    this.where = where
    this.#bucket = bucket
    this.#prefix = prefix && `${prefix}/`
    this.#client = new S3Client({
      // Names of buckets are part of the host at AWS; other services rarely have such names.
      forcePathStyle: ENDPOINTS.some((name) => env[name]),
      // Not every service knows the sums that the client adds by itself; SHA-256 is given below.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: ATTEMPTS,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
    })
  }

  async names(folder = ''): Promise<string[]> {
    const prefix = this.#prefix + (folder && `${folder}/`)
    const names: string[] = []
    let token: string | undefined
    do {
      const page = await this.#asked(() =>
        this.#client.send(
          new ListObjectsV2Command({
            ...{ Bucket: this.#bucket, Prefix: prefix, Delimiter: '/', ContinuationToken: token },
          }),
        ),
      )
      for (const { Prefix = '' } of page.CommonPrefixes ?? [])
        names.push(Prefix.slice(prefix.length, -1))
      for (const { Key = '' } of page.Contents ?? []) names.push(Key.slice(prefix.length))
      token = page.NextContinuationToken
    } while (token !== undefined)
    // Consoles make an empty object of the prefix itself.
    return names.filter((name) => name !== '')
  }

  read(path: string): Promise<Buffer | null> {
    const asked = new GetObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + path })
    return this.#asked(async () => {
      try {
        const { Body } = await this.#client.send(asked)
        const chunks: Uint8Array[] = []
        let bytes = 0
        for await (const chunk of (Body ?? []) as AsyncIterable<Uint8Array>) {
          bytes += chunk.length
          if (bytes > MAX_FILE_BYTES)
            throw new BackupRefusedError(`${this.#named(path)} is no file of a backup`)
          chunks.push(chunk)
        }
        return Buffer.concat(chunks)
      } catch (error) {
        if (error instanceof NoSuchKey) return null
        throw error
      }
    })
  }

  async write(path: string, contents: Uint8Array): Promise<void> {
    const put = new PutObjectCommand({
      ...{ Bucket: this.#bucket, Key: this.#prefix + path, Body: contents },
      ChecksumSHA256: hash('sha256', contents, 'base64'),
    })
    await this.#asked(() => this.#client.send(put))
  }

  async remove(path: string): Promise<void> {
    const gone = new DeleteObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + path })
    await this.#asked(() => this.#client.send(gone))
  }

  #named = (path: string): string => `s3://${this.#bucket}/${this.#prefix}${path}`

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (cause) {
      if (cause instanceof BackupRefusedError) throw cause
      throw new BackupRefusedError(`${this.where} cannot be used: ${causeOf(cause)}`, { cause })
    }
  }
}

/** A bucket by the rules of AWS, and a prefix without an empty part. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^/?#]+(?:\/[^/?#]+)*)?)?\/?$/
const ENDPOINTS = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL']

const CURES: readonly (readonly [fault: RegExp, cure: string])[] = [
  [/^CredentialsProviderError/, 'give AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role'],
  [/^Region /, 'set AWS_REGION, to us-east-1 where the service has no regions'],
]

/** What went wrong, in the words of the service or the client, with the cure where there is one. */
function causeOf(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const said = name === 'Error' ? message : `${name}: ${message}`
  const cure = CURES.find(([fault]) => fault.test(said))?.[1]
  return cure === undefined ? said : `${said}; ${cure}`
}
