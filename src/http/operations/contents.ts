import type { FastifySchema } from 'fastify'
import { ContentBody, ContentPath } from '../../schemas/api/content.ts'

/** What is sold, as it was inscribed. */
export const CONTENT_OPERATIONS = {
  readContent: {
    operationId: 'readContent',
    summary: 'Read what an inscription shows',
    description:
      'The content of an inscription that an order here offers, as its index proved: text (JSON too), ' +
      'images, audio and video; text and SVG up to 1 MiB, all else up to 4 MiB. HTML and every other ' +
      'type are refused with their size, as is content that is not of the type that it claims, and the ' +
      'content of an inscription of which an operator hides an order. It was written by a stranger: ' +
      'show it as an image, as media, as text, or in a frame with `sandbox`. `Range` reads a part of it.',
    tags: ['orders'],
    refusals: ['CONTENT_NOT_FOUND', 'CONTENT_NOT_SHOWN', 'ORDER_HIDDEN', 'ASSET_INDEX_UNAVAILABLE'],
    mediaType: 'text/plain; charset=utf-8',
    hasRanges: true,
    params: ContentPath,
    response: { 200: ContentBody },
  },
} satisfies Record<string, FastifySchema>
