/**
 * Records what Bitcoin Core and ord answer, word for word, into test/fixtures, for the unit tests
 * that run without them: `npx tsx test/support/chain/record-answers.ts`, after `scripts/services install`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Psbt } from 'bitcoinjs-lib'
import { CORE_LOGIN, type Core, prepareCore } from '../services/core.ts'
import { inscribe } from './inscriptions.ts'
import { openRealChain, type RealChain } from './real-chain.ts'
import type { OrdExchange, RpcExchange } from './recorded-answers.ts'
import { etch } from './runes.ts'
import { openWallet, txOut, type Wallet } from './wallet.ts'

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures')
const UNKNOWN = 'f'.repeat(64)
const LOGIN_WITHOUT_PROOFS = `${CORE_LOGIN.user}:${CORE_LOGIN.password}`

class Recorder {
  readonly rpc: Record<string, RpcExchange> = {}
  readonly ord: Record<string, OrdExchange> = {}

  async core(name: string, core: Core, method: string, ...params: unknown[]): Promise<void> {
    const cookie = await readFile(core.cookieFile, 'utf8').catch(() => '')
    this.rpc[name] = await this.#post(core, cookie, method, params)
  }

  async refusedLogin(name: string, core: Core): Promise<void> {
    this.rpc[name] = await this.#post(core, 'nobody:nothing', 'getblockcount', [])
  }

  /** By a login whose whitelist lacks the method. */
  async refusedMethod(name: string, core: Core, method: string, params: unknown[]): Promise<void> {
    this.rpc[name] = await this.#post(core, LOGIN_WITHOUT_PROOFS, method, params)
  }

  async #post(core: Core, login: string, method: string, params: unknown[]): Promise<RpcExchange> {
    const response = await fetch(core.url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }),
    })
    return { method, params, status: response.status, body: (await response.text()).trim() }
  }

  async page(name: string, { ord }: RealChain, at: string, accept = 'application/json') {
    const response = await fetch(ord.url + at, { headers: { accept } })
    const contentType = response.headers.get('content-type') ?? ''
    // HTML pages name the machine that served them.
    const body = (await response.text()).replaceAll(`//${os.hostname()}/`, '//localhost/')
    this.ord[name] = { path: at, status: response.status, contentType, body }
  }
}

async function recordChain(to: Recorder, chain: RealChain): Promise<void> {
  const { core } = chain
  const tip = (await chain.node.chain()).tip.hash
  await to.core('genesis', core, 'getblockhash', 0)
  await to.core('chain', core, 'getblockchaininfo')
  await to.core('network', core, 'getnetworkinfo')
  await to.core('mempool info', core, 'getmempoolinfo')
  await to.core('tip', core, 'getbestblockhash')
  await to.core('mempool', core, 'getrawmempool', false, true)
  await to.core('no estimate', core, 'estimatesmartfee', 6)
  await to.core('header', core, 'getblockheader', tip)
  await to.core('block', core, 'getblock', tip, 0)
  await to.core('unknown header', core, 'getblockheader', UNKNOWN)
  await to.core('unknown block', core, 'getblock', UNKNOWN, 0)
  await to.core('height above the tip', core, 'getblockhash', 100_000)
  await to.core('unknown transaction', core, 'getrawtransaction', UNKNOWN, 1)
  await to.core('undecodable', core, 'testmempoolaccept', ['00'])
  await to.refusedLogin('refused login', core)
}

async function recordOutputs(to: Recorder, chain: RealChain, wallet: Wallet): Promise<void> {
  const { core } = chain
  const unspent = await wallet.fund(wallet.scriptHex, 12_345_678n)
  const spent = await wallet.fund(wallet.scriptHex, 50_000n)
  await chain.mine(1)
  const spender = wallet.sign({ inputs: [spent], outputs: [txOut(wallet.scriptHex, 49_000n)] })
  await chain.submit(spender.toHex())
  const waiting = await wallet.fund(wallet.scriptHex, 100_000_000n)
  const outputs = { unspent, spent, waiting, unknown: { outpoint: { txid: UNKNOWN, vout: 0 } } }
  for (const [name, { outpoint }] of Object.entries(outputs))
    for (const withMempool of [true, false])
      await to.core(
        `gettxout ${name} ${withMempool}`,
        core,
        'gettxout',
        outpoint.txid,
        outpoint.vout,
        withMempool,
      )
  const prevouts = [unspent.outpoint, spent.outpoint]
  await to.core('spenders', core, 'gettxspendingprevout', prevouts, { mempool_only: true })
  const beyond = { txid: UNKNOWN, vout: 0x80000000 }
  await to.core('index out of range', core, 'gettxspendingprevout', [beyond])
  const draft = { inputs: [unspent], outputs: [txOut(wallet.scriptHex, 12_000_000n)] }
  await to.core('acceptable', core, 'testmempoolaccept', [wallet.sign(draft).toHex()])
  const dust = { ...draft, outputs: [txOut(wallet.scriptHex, 1n)] }
  await to.core('dust', core, 'testmempoolaccept', [wallet.sign(dust).toHex()])
  await to.core('empty psbt', core, 'analyzepsbt', new Psbt().toBase64())
}

/**
 * Answers of a node with problems: a pruned block, a method that the login lacks, and the first
 * moments of a start.
 */
async function recordTroubles(to: Recorder): Promise<void> {
  const whitelist = `-rpcwhitelist=${CORE_LOGIN.user}:getblockcount`
  const core = await prepareCore({ args: ['-prune=1', '-fastprune', whitelist] })
  try {
    await core.start()
    await core.rpc('generatetodescriptor', 1_000, 'raw(51)')
    await core.rpc('pruneblockchain', 500)
    const first = await core.rpc('getblockhash', 1)
    await to.core('pruned chain', core, 'getblockchaininfo')
    await to.core('pruned block', core, 'getblock', first, 0)
    await to.core('pruned proof', core, 'gettxoutproof', [UNKNOWN], first)
    await to.core('pruned transaction', core, 'getrawtransaction', UNKNOWN, 0, first)
    await to.refusedMethod('refused proof', core, 'gettxoutproof', [[UNKNOWN], first])
    await core.stop()
    const finishWarmUp = await core.startWarmingUp()
    await to.core('warming up', core, 'getblockcount')
    await finishWarmUp()
  } finally {
    await core.close()
  }
}

async function recordOrd(to: Recorder, chain: RealChain, wallet: Wallet): Promise<void> {
  const { ids, coin } = await inscribe(chain, wallet, txOut(wallet.scriptHex, 10_000n), [
    { pointer: 0 },
    { pointer: 4_321 },
  ])
  const rune = await etch(chain, wallet, 2n ** 80n)
  const empty = await wallet.fund(wallet.scriptHex, 20_000n)
  await chain.mine(1)
  await chain.syncIndex()
  const { tip } = await chain.node.chain()
  const of = ({ txid, vout }: { txid: string; vout: number }) => `/output/${txid}:${vout}`
  await to.page('status', chain, '/status')
  await to.page('status page', chain, '/status', 'text/html')
  await to.page('hash of the tip', chain, `/r/blockhash/${tip.height}`)
  await to.page('hash above the tip', chain, '/r/blockhash/100000')
  await to.page('inscribed output', chain, of(coin.outpoint))
  await to.page('runic output', chain, of(rune))
  await to.page('empty output', chain, of(empty.outpoint))
  await to.page('unknown output', chain, of({ txid: UNKNOWN, vout: 0 }))
  for (const [i, id] of ids.entries())
    await to.page(`inscription ${i}`, chain, `/inscription/${id}`)
  await to.page('unknown inscription', chain, `/inscription/${UNKNOWN}i0`)
  await to.page('output as a page', chain, of(empty.outpoint), '*/*')
  await to.page('malformed question', chain, '/output/zzz')
}

const recorder = new Recorder()
const chain = await openRealChain()
try {
  const wallet = await openWallet(chain, 10)
  await recordOutputs(recorder, chain, wallet)
  await recordChain(recorder, chain)
  await recordOrd(recorder, chain, wallet)
} finally {
  await chain.close()
}
await recordTroubles(recorder)
for (const [folder, exchanges] of Object.entries({ bitcoind: recorder.rpc, ord: recorder.ord }))
  await writeFile(
    path.join(FIXTURES, folder, 'answers.json'),
    `${JSON.stringify(exchanges, null, 2)}\n`,
  )
