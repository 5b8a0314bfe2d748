import * as tiny from 'tiny-secp256k1'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scriptOfAddress } from '../../../src/domain/address.ts'
import { judgeProof } from '../../../src/domain/bip322/judge-proof.ts'
import { messageHash, toSign, toSpend } from '../../../src/domain/bip322/virtual-transactions.ts'
import { describeVectors, vector } from '../../support/vectors.ts'

const Signed = z.object({
  message: z.string(),
  address: z.string(),
  type: z.string(),
  bip322_signatures: z.array(z.string()),
})
const Vectors = z.object({
  tx_hashes: z.array(
    z.object({
      message: z.string(),
      address: z.string(),
      message_hash: z.string(),
      to_spend_tx_hash: z.string(),
      to_sign_tx_hash: z.string(),
    }),
  ),
  simple: z.array(Signed),
  full: z.array(Signed).default([]),
  error: z.array(
    z.object({
      description: z.string(),
      message: z.string(),
      address: z.string(),
      signature: z.string(),
    }),
  ),
})

/** The scripts of the vectors that the service judges itself. */
const JUDGED = /^p2(?:tr|wpkh|sh-p2wp?kh|wsh-multisig-\dof\d)$/

const scriptOf = (address: string): string => scriptOfAddress(address, 'mainnet') ?? ''

describeVectors('BIP-322, version 2.0.0', () => {
  const vectors = () => Vectors.parse(vector('bip322.json'))

  test('message and transaction hashes', () => {
    const { tx_hashes } = vectors()
    expect(tx_hashes.length).toBeGreaterThan(0)
    for (const row of tx_hashes) {
      const spent = toSpend(row.message, scriptOf(row.address))
      expect(Buffer.from(messageHash(row.message)).toString('hex')).toBe(row.message_hash)
      expect(spent.getId()).toBe(row.to_spend_tx_hash)
      expect(toSign(spent).getId()).toBe(row.to_sign_tx_hash)
    }
  })

  test('every signature is valid, or for a full node to judge', () => {
    const { simple, full } = vectors()
    expect(simple.length).toBeGreaterThan(0)
    for (const { message, address, type, bip322_signatures } of [...simple, ...full]) {
      for (const proof of bip322_signatures) {
        const answer = judgeProof({ message, scriptHex: scriptOf(address), proof }, tiny)
        const expected = JUDGED.test(type) ? ['valid'] : ['ask-node', 'inconclusive']
        expect(expected, `${type}: ${message}`).toContain(answer.status)
      }
    }
  })

  test('every error is invalid', () => {
    const { error } = vectors()
    expect(error.length).toBeGreaterThan(0)
    for (const { description, message, address, signature } of error) {
      const question = { message, scriptHex: scriptOf(address), proof: signature }
      expect(judgeProof(question, tiny), description).toMatchObject({ status: 'invalid' })
    }
  })
})
