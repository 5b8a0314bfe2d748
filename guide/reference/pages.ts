import type MarkdownIt from 'markdown-it'
import { referenceLink, tagSlug } from '../../src/schemas/api/reference-link.ts'
import type { PageLink } from '../source/pages.ts'
import { curlOf } from './curl-sample.ts'
import {
  type Answer,
  type Description,
  type Operation,
  operationsOf,
  readDescription,
  type Schema,
  successOf,
} from './description.ts'
import { type ShownExample, shownExample } from './examples.ts'
import { pythonOf } from './python-sample.ts'
import { RepeatedRows } from './repeated-rows.ts'
import { callOf } from './sample-call.ts'
import {
  boundsOf,
  type LinkedType,
  type Row,
  rowsOf,
  type TypePart,
  typeOf,
} from './schema-rows.ts'
import { typescriptOf } from './typescript-sample.ts'

// What the templates show of the API: for each tag a page of its operations, and one of the objects
// that they are the first to name. Texts are Markdown, made HTML here.

interface Body {
  mediaType: string
  type: LinkedType
  rows: Row[]
  /** The earlier operation of the page that shows the same rows, instead of them. */
  sameAs?: string
  example?: ShownExample
}

export interface OperationView {
  id: string
  method: string
  path: string
  summary: string
  description: string
  url: string
  /** The schemes that authenticate it. */
  callers: string[]
  isLimited: boolean
  parameters: (Row & { place: string; example?: string })[]
  requestHeaders: string[]
  body?: Body & { isRequired: boolean }
  answer: Body & { status: string; headers: string[] }
  samples: { language: string; text: string }[]
  refusals: Refusal[]
}

interface Refusal {
  status: string
  codes: string[]
  texts: string[]
}

/** The operations of a tag. */
export interface OperationsPage extends PageLink {
  output: string
  /** The tag's name in addresses, and in the style that says what a process serves. */
  slug: string
  description: string
  operations: OperationView[]
  /** Answers that every operation of the page may give, which each one leaves out. */
  common: Refusal[]
  errors: { code: string; meaning: string }[]
  objects?: ObjectsPage
}

/** The objects that a tag is the first to name. */
export interface ObjectsPage extends PageLink {
  output: string
  objects: { name: string; description: string; type: LinkedType; rows: Row[] }[]
}

export interface Reference {
  version: string
  introduction: string
  headers: { name: string; description: string }[]
  callers: { name: string; description: string }[]
  pages: OperationsPage[]
}

export function readReference(markdown: MarkdownIt): Reference {
  const description = readDescription()
  const { info, tags, components } = description
  const operations = operationsOf(description)
  const context = { description, markdown, placeOf: placesOfObjects(description, operations) }
  return {
    version: info.version,
    introduction: markdown.render(info.description, { source: 'docs/openapi.json' }),
    headers: Object.values(components.parameters).map((one) => ({
      name: one.name,
      description: inline(context, one.description),
    })),
    callers: Object.entries(components.securitySchemes).map(([name, scheme]) => ({
      name,
      description: inline(context, scheme.description),
    })),
    pages: tags.map(({ name, description: said }) =>
      pageOf(
        name,
        said,
        operations.filter(({ tag }) => tag === name),
        context,
      ),
    ),
  }
}

interface Context {
  description: Description
  markdown: MarkdownIt
  /** The tag whose page describes an object. */
  placeOf: ReadonlyMap<string, string>
}

const REFERENCE = /"\$ref":"#\/components\/schemas\/(\w+)"/g

/** Each object belongs to the first tag that names it, directly or through another one. */
function placesOfObjects(
  { tags, components: { schemas } }: Description,
  operations: readonly Operation[],
): ReadonlyMap<string, string> {
  const places = new Map<string, string>()
  const look = (at: unknown, tag: string): void => {
    for (const [, name = ''] of JSON.stringify(at).matchAll(REFERENCE)) {
      if (places.has(name)) continue
      places.set(name, tag)
      look(schemas[name], tag)
    }
  }
  for (const { name } of tags) {
    for (const operation of operations.filter(({ tag }) => tag === name)) look(operation, name)
  }
  return places
}

function pageOf(
  tag: string,
  said: string,
  operations: readonly Operation[],
  context: Context,
): OperationsPage {
  const meanings = new Map(operations.flatMap((one) => [...codesOf(one)]))
  const objects = objectsPageOf(tag, context)
  const slug = tagSlug(tag)
  return {
    title: titleOf(tag),
    slug,
    url: `/docs/${slug}/`,
    output: `docs/${slug}/index.html`,
    description: inline(context, said),
    ...withoutRepeats(operations.map((one) => viewOf(one, context))),
    errors: [...meanings]
      .sort()
      .map(([code, meaning]) => ({ code, meaning: inline(context, meaning) })),
    ...(objects.objects.length > 0 && { objects }),
  }
}

const titleOf = (tag: string): string => tag.charAt(0).toUpperCase() + tag.slice(1)
const objectsUrl = (tag: string): string => `/docs/${tagSlug(tag)}/objects/`

function objectsPageOf(tag: string, context: Context): ObjectsPage {
  const { schemas } = context.description.components
  const names = [...context.placeOf].filter(([, place]) => place === tag).map(([name]) => name)
  return {
    title: `Objects of ${tag}`,
    url: objectsUrl(tag),
    output: `docs/${tagSlug(tag)}/objects/index.html`,
    objects: names.sort().map((name) => {
      const schema = schemas[name] ?? {}
      return {
        name,
        description: inline(context, schema.description),
        type: linked(typeOf(schema), context),
        rows: shownRows(schema, context),
      }
    }),
  }
}

/** What several operations of a page may answer alike is said once. */
function withoutRepeats(
  operations: readonly OperationView[],
): Pick<OperationsPage, 'operations' | 'common'> {
  const [first, ...others] = operations
  const codes = (first?.refusals ?? []).flatMap((one) => one.codes)
  const shared = new Set(
    codes.filter((code) =>
      others.every(({ refusals }) => refusals.some((one) => one.codes.includes(code))),
    ),
  )
  const only = (refusals: readonly Refusal[], isKept: (code: string) => boolean): Refusal[] =>
    refusals.map((one) => ({ ...one, codes: one.codes.filter(isKept) }))
  const rows = new RepeatedRows()
  return {
    common: only(first?.refusals ?? [], (code) => shared.has(code))
      .filter((one) => one.codes.length > 0)
      .map((one) => ({ ...one, texts: [] })),
    operations: operations.map((one) => ({
      ...one,
      ...(one.body && { body: rows.of(one.id, one.body) }),
      answer: rows.of(one.id, one.answer),
      refusals: only(one.refusals, (code) => !shared.has(code)).filter(
        ({ codes: own, texts }) => own.length + texts.length > 0,
      ),
    })),
  }
}

function viewOf(operation: Operation, context: Context): OperationView {
  const { operationId, tag, responses, requestBody, parameters } = operation
  const call = callOf(operation, context.description)
  const { status, answer, mediaType, content } = successOf(operation)
  const headers = Object.keys(answer.headers ?? {})
  const [bodyType = '', body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  return {
    id: operationId,
    method: operation.method.toUpperCase(),
    path: operation.path,
    summary: operation.summary,
    description: context.markdown.render(operation.description, { source: 'docs/openapi.json' }),
    url: referenceLink(tag, operationId),
    callers: (operation.security ?? []).flatMap((one) => Object.keys(one)),
    isLimited: headers.includes('RateLimit-Limit'),
    parameters: parameters
      .filter((one) => one.in !== 'header')
      .map((one) => ({
        name: one.name,
        place: one.in,
        isForm: false,
        isRequired: one.required ?? false,
        type: linked(typeOf(one.schema), context),
        bounds: boundsOf(one.schema),
        description: inline(context, one.description),
        ...(one.example !== undefined && { example: String(one.example) }),
      })),
    requestHeaders: parameters.filter((one) => one.in === 'header').map(({ name }) => name),
    ...(body && {
      body: { ...bodyOf(bodyType, body, context), isRequired: requestBody?.required ?? false },
    }),
    answer: { status, headers, ...bodyOf(mediaType, content ?? { schema: {} }, context) },
    samples: [
      { language: 'curl', text: curlOf(call) },
      { language: 'TypeScript', text: typescriptOf(call) },
      { language: 'Python', text: pythonOf(call) },
    ],
    refusals: Object.entries(responses)
      .filter(([code]) => code !== status)
      .map(([code, refusal]) => refusalOf(code, refusal, context)),
  }
}

const bodyOf = (
  mediaType: string,
  { schema, example }: { schema: Schema; example?: unknown },
  context: Context,
): Body => ({
  mediaType,
  type: linked(typeOf(schema), context),
  rows: shownRows(schema, context),
  ...(example !== undefined &&
    Object.keys(Object(example)).length > 0 && {
      example: shownExample(example),
    }),
})

const shownRows = (schema: Schema, context: Context): Row[] =>
  rowsOf(schema).map((row) => ({
    ...row,
    type: linked(row.type, context),
    description: inline(context, row.description),
  }))

const linked = (type: readonly TypePart[], { placeOf }: Context): LinkedType =>
  type.map(({ text, object }) => {
    const place = object === undefined ? undefined : placeOf.get(object)
    return { text, url: place === undefined ? '' : `${objectsUrl(place)}#${object}` }
  })

/** A line of an answer's description that is a code and its meaning. */
const CODE_LINE = /^- `([A-Z][A-Z_]+)`: (.+)$/

/** Refusals are described once on a page; an operation lists their codes. */
function refusalOf(status: string, { description }: Answer, context: Context) {
  const lines = description.split('\n')
  return {
    status,
    codes: lines.flatMap((line) => CODE_LINE.exec(line)?.[1] ?? []),
    texts: lines
      .filter((line) => !CODE_LINE.test(line))
      .map((line) => inline(context, line.replace(/^- /, ''))),
  }
}

function codesOf({ responses }: Operation): Map<string, string> {
  const lines = Object.values(responses).flatMap(({ description }) => description.split('\n'))
  return new Map(
    lines.flatMap((line) => {
      const [, code, meaning] = CODE_LINE.exec(line) ?? []
      return code !== undefined && meaning !== undefined ? [[code, meaning] as const] : []
    }),
  )
}

const inline = ({ markdown }: Context, text = ''): string =>
  markdown.renderInline(text, { source: 'docs/openapi.json' })
