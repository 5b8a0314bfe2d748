import * as tiny from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { judgeProof } from '../../../src/domain/bip322/judge-proof.ts'
import { messageHash, toSign, toSpend } from '../../../src/domain/bip322/virtual-transactions.ts'
import { scriptOfAddress } from '../../../src/domain/script/address.ts'
import { vector } from '../../support/vectors.ts'

const Message = z.object({
  messageHex: z.string().transform((hex) => Buffer.from(hex, 'hex').toString()),
  address: z.string(),
})
const Vectors = z.object({
  hashes: z.array(
    Message.extend({ messageHash: z.string(), toSpend: z.string(), toSign: z.string() }),
  ),
  simple: z.array(Message.extend({ type: z.string(), signatures: z.array(z.string()) })),
  errors: z.array(Message.extend({ case: z.string(), signature: z.string() })),
})

/** The scripts of the vectors that the service judges itself. */
const JUDGED = /^p2(?:tr|wpkh|sh-p2wp?kh|wsh-multisig-\dof\d)$/

const scriptOf = (address: string): string => scriptOfAddress(address, 'mainnet') ?? ''

describe('BIP-322, version 2.0.0', () => {
  const { hashes, simple, errors } = Vectors.parse(vector('bip322.json'))

  test('message and transaction hashes', () => {
    expect(hashes).toHaveLength(3)
    for (const { messageHex: message, address, messageHash: hash, toSpend: id, ...row } of hashes) {
      const spent = toSpend(message, scriptOf(address))
      expect(Buffer.from(messageHash(message)).toString('hex')).toBe(hash)
      expect(spent.getId()).toBe(id)
      expect(toSign(spent).getId()).toBe(row.toSign)
    }
  })

  test('every signature is valid, or for a full node to judge', () => {
    expect(simple).toHaveLength(4)
    for (const { messageHex: message, address, type, signatures } of simple) {
      for (const proof of signatures) {
        const answer = judgeProof({ message, scriptHex: scriptOf(address), proof }, tiny)
        const expected = JUDGED.test(type) ? ['valid'] : ['ask-node', 'inconclusive']
        expect(expected, `${type}: ${message}`).toContain(answer.status)
      }
    }
  })

  test('every error is invalid', () => {
    expect(errors).toHaveLength(8)
    for (const { case: name, messageHex: message, address, signature } of errors) {
      const question = { message, scriptHex: scriptOf(address), proof: signature }
      expect(judgeProof(question, tiny), name).toMatchObject({ status: 'invalid' })
    }
  })
})
