import { ordAnswers, rpcAnswers } from '../chain/recorded-answers.ts'
import { type HttpServer, openHttpServer } from '../http/http-server.ts'

/** One inscribed coin of mainnet, as node and index would describe it. */
export interface InscribedCoin {
  txid: string
  vout: number
  /** As Core writes amounts: BTC with eight digits. */
  valueBtc: string
  scriptHex: string
  inscriptionId: string
}

export interface MainnetWorld {
  rpcUrl: string
  indexUrl: string
  close(): Promise<void>
}

const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const TIP = { height: 781_000, hash: '00000000000000000001'.padEnd(64, 'a') }
const COIN_BLOCK = { height: 780_400, hash: '00000000000000000002'.padEnd(64, 'b') }

/**
 * A mainnet on which one coin is unspent and inscribed: every answer is one of the real node or
 * index (test/fixtures), with this world's hashes, heights and amounts in it.
 */
export async function openMainnetWorld(coin: InscribedCoin): Promise<MainnetWorld> {
  const node = await openHttpServer(({ body }) => ({ body: answerAll(body, coin) }))
  const index = await openHttpServer(({ path, headers }) => page(path, headers.accept ?? '', coin))
  return {
    rpcUrl: node.url,
    indexUrl: index.url,
    close: async () => {
      for (const server of [node, index] satisfies HttpServer[]) await server.close()
    },
  }
}

// ---- the node ----------------------------------------------------------------------------------

interface Request {
  id: number
  method: string
  params: unknown[]
}

function answerAll(body: string, coin: InscribedCoin): string {
  const asked = JSON.parse(body) as Request | Request[]
  if (!Array.isArray(asked)) return answer(asked, coin)
  return `[${asked.map((request) => answer(request, coin)).join(',')}]`
}

const answer = (request: Request, coin: InscribedCoin): string =>
  `{"jsonrpc":"2.0",${resultOf(request, coin)},"id":${request.id}}`

/** The recorded result with some of its fields replaced; raw text, so that amounts keep their digits. */
function like(name: string, fields: Record<string, string | number | boolean>): string {
  const body = rpcAnswers[name]?.body
  if (body === undefined) throw new Error(`no recorded answer ${name}`)
  const inner = body.slice(body.indexOf('"result":'), body.lastIndexOf(',"id"'))
  return Object.entries(fields).reduce((text, [field, value]) => {
    const written =
      typeof value === 'string' && !value.startsWith('#')
        ? JSON.stringify(value)
        : String(value).replace('#', '')
    const pattern = new RegExp(`"${field}":(?:"[^"]*"|[^,}]*)`)
    if (!pattern.test(text)) throw new Error(`${name} has no field ${field}`)
    return text.replace(pattern, `"${field}":${written}`)
  }, inner)
}

function resultOf({ method, params }: Request, coin: InscribedCoin): string {
  const [first, second] = params
  switch (method) {
    case 'getblockchaininfo':
      return like('chain', {
        chain: 'main',
        blocks: TIP.height,
        headers: TIP.height,
        bestblockhash: TIP.hash,
        time: Math.floor(Date.now() / 1_000),
        initialblockdownload: false,
      })
    case 'getblockhash': {
      const hash = { 0: GENESIS, [TIP.height]: TIP.hash, [COIN_BLOCK.height]: COIN_BLOCK.hash }[
        Number(first)
      ]
      return hash
        ? `"result":"${hash}"`
        : '"error":{"code":-8,"message":"Block height out of range"}'
    }
    case 'getblockheader': {
      const block = [TIP, COIN_BLOCK].find(({ hash }) => hash === first)
      if (!block) return '"error":{"code":-5,"message":"Block not found"}'
      return like('header', { ...block, confirmations: TIP.height - block.height + 1 })
    }
    case 'gettxout': {
      if (first !== coin.txid || second !== coin.vout) return '"result":null'
      return like('gettxout unspent true', {
        bestblock: TIP.hash,
        confirmations: TIP.height - COIN_BLOCK.height + 1,
        value: `#${coin.valueBtc}`,
        hex: coin.scriptHex,
        coinbase: false,
      })
    }
    case 'getbestblockhash':
      return `"result":"${TIP.hash}"`
    case 'getrawmempool':
      return '"result":{"txids":[],"mempool_sequence":1}'
    case 'getmempoolinfo':
      return like('mempool info', { size: 0 })
    case 'getnetworkinfo':
      return like('network', {})
    default:
      throw new Error(`this world does not answer ${method}`)
  }
}

// ---- the index ---------------------------------------------------------------------------------

function page(path: string, accept: string, coin: InscribedCoin) {
  const outpoint = `${coin.txid}:${coin.vout}`
  const json = (name: string, fields: object) => ({
    contentType: 'application/json',
    body: JSON.stringify({ ...JSON.parse(ordAnswers[name]?.body ?? '{}'), ...fields }),
  })
  if (path === '/status' && accept !== 'application/json') {
    return { contentType: 'text/html;charset=utf-8', body: ordAnswers['status page']?.body ?? '' }
  }
  if (path === '/status') return json('status', { chain: 'mainnet', height: TIP.height })
  if (path === `/r/blockhash/${TIP.height}`) return { body: JSON.stringify(TIP.hash) }
  if (path === `/output/${outpoint}`) {
    const { inscriptionId, scriptHex } = coin
    return json('inscribed output', {
      outpoint,
      inscriptions: [inscriptionId],
      runes: {},
      script_pubkey: scriptHex,
    })
  }
  if (path === `/inscription/${coin.inscriptionId}`) {
    return json('inscription 0', {
      id: coin.inscriptionId,
      number: 4_321,
      satpoint: `${outpoint}:0`,
    })
  }
  return {
    status: 404,
    contentType: 'text/plain; charset=utf-8',
    body: `output ${outpoint} not found`,
  }
}
