import type { FastifySchema } from 'fastify'
import { Catalog } from '../../schemas/api/catalog.ts'
import { HealthReport, ProbeReport, ReadinessReport } from '../../schemas/api/health.ts'
import { ApiIndex, ProtocolContract } from '../../schemas/api/protocol.ts'

/** What this gateway is, and its status. */
export const GATEWAY_OPERATIONS = {
  readIndex: {
    operationId: 'readIndex',
    summary: 'What is here',
    description: 'Every operation of the market, with the page that describes it.',
    tags: ['gateway'],
    response: { 200: ApiIndex },
  },
  readHealth: {
    operationId: 'readHealth',
    summary: 'Health of the gateway',
    description:
      'What is configured, and the current state of node, index and store. The answer is ' +
      '200 whatever `status` is, also while the market is disabled.',
    tags: ['gateway'],
    response: { 200: HealthReport },
  },
  readProtocol: {
    operationId: 'readProtocol',
    summary: 'The contract that this gateway implements',
    description: 'What is signed and by whom, what is verified, and what is not guaranteed.',
    tags: ['gateway'],
    response: { 200: ProtocolContract },
  },
  readCatalog: {
    operationId: 'readCatalog',
    summary: 'List the markets',
    description:
      'Each market describes what verification proves for it, and which operations it supports.',
    tags: ['gateway'],
    response: { 200: Catalog },
  },
  probeLife: {
    operationId: 'probeLife',
    summary: 'Is the process alive?',
    description: 'Answers under any load.',
    tags: ['probes'],
    response: { 200: ProbeReport },
  },
  probeReadiness: {
    operationId: 'probeReadiness',
    summary: 'Should this process get traffic?',
    description:
      'The message of a 503 says why not; `degraded` names unavailable parts that the process can work without.',
    tags: ['probes'],
    refusals: ['NOT_READY'],
    response: { 200: ReadinessReport },
  },
} satisfies Record<string, FastifySchema>
