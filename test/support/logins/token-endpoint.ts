import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const KEY_ID = 'key-1'
const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** An OAuth 2.0 server that gives tokens (JWT, RS256) to one client, and publishes the key. */
export class TokenEndpoint {
  readonly issuer: string
  readonly audience = 'kafka'
  /** Seconds that its next tokens live. */
  lifetimeSeconds = 300
  /** How many it gave. */
  given = 0
  readonly #scopes: string[] = []
  readonly #client: { id: string; secret: string }
  readonly #server: Server
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

  static async open(client: { id: string; secret: string }): Promise<TokenEndpoint> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new TokenEndpoint(server, client)
  }

  private constructor(server: Server, client: { id: string; secret: string }) {
    this.#server = server
    this.#client = client
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on(
      'request',
      (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response),
    )
  }

  /** How many it gave that were asked for with this scope. */
  givenFor(scope: string): number {
    return this.#scopes.filter((one) => one === scope).length
  }

  get tokenUrl(): string {
    return `${this.issuer}/token`
  }

  get keysUrl(): string {
    return `${this.issuer}/keys`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/keys') {
      const key = this.#keys.publicKey.export({ format: 'jwk' })
      return void send(200, { keys: [{ ...key, kid: KEY_ID, use: 'sig', alg: 'RS256' }] })
    }
    if (!this.#isClient(request)) return void send(401, { error: 'invalid_client' })
    this.given += 1
    this.#scopes.push(new URLSearchParams(await text(request)).get('scope') ?? '')
    const token = { access_token: this.#token(), token_type: 'Bearer' }
    return void send(200, { ...token, expires_in: this.lifetimeSeconds })
  }

  /** Both parts are encoded as in a form (RFC 6749, 2.3.1). */
  #isClient({ headers: { authorization = '' } }: IncomingMessage): boolean {
    const [id, secret] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':')
      .map((part) => new URLSearchParams(`it=${part}`).get('it'))
    return id === this.#client.id && secret === this.#client.secret
  }

  #token(): string {
    const now = Math.floor(Date.now() / 1_000)
    const claims = { iss: this.issuer, aud: this.audience, sub: this.#client.id, scope: 'log' }
    const times = { iat: now, exp: now + this.lifetimeSeconds }
    const signed = `${json({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })}.${json({ ...claims, ...times })}`
    const signature = sign('RSA-SHA256', Buffer.from(signed), this.#keys.privateKey)
    return `${signed}.${signature.toString('base64url')}`
  }
}
