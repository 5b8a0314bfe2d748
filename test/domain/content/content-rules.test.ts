import { describe, expect, test } from 'vitest'
import { mayRead, mediaRuleOf } from '../../../src/domain/content/media-rules.ts'
import { isOfClaimedType } from '../../../src/domain/content/true-type.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const ftyp = (...brands: string[]) => {
  const size = 8 + 4 * brands.length
  return bytes(`\0\0\0${String.fromCharCode(size)}ftyp${brands.join('')}mdat`)
}

describe('what is shown, and as what', () => {
  test.each([
    ['text/plain;charset=utf-8', 'text', 'text/plain; charset=utf-8'],
    ['TEXT/PLAIN', 'text', 'text/plain; charset=utf-8'],
    ['application/json', 'text', 'text/plain; charset=utf-8'],
    ['text/markdown', 'text', 'text/plain; charset=utf-8'],
    ['image/svg+xml', 'image', 'image/svg+xml'],
    ['image/webp', 'image', 'image/webp'],
    ['audio/x-wav', 'audio', 'audio/wav'],
    ['video/mp4; codecs="avc1"', 'video', 'video/mp4'],
  ])('%s is %s, served as %s', (claimed, kind, servedAs) => {
    expect(mediaRuleOf(claimed)).toMatchObject({ kind, servedAs })
  })

  test.each([
    'text/html',
    'text/html;charset=utf-8',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    'text/javascript',
    'model/gltf-binary',
    'image/png, text/html',
    'constructor',
    '',
  ])('%j is not: not a byte of it is read', (claimed) => {
    expect(mediaRuleOf(claimed)).toBeUndefined()
    expect(mayRead(claimed)).toBe(0)
  })

  test('text is bounded by what a page lays out, media by what a block holds', () => {
    expect([mayRead('text/plain'), mayRead('image/svg+xml')]).toEqual([2 ** 20, 2 ** 20])
    expect([mayRead('image/png'), mayRead('video/webm')]).toEqual([2 ** 22, 2 ** 22])
  })
})

describe('content is of the type that it claims', () => {
  test.each([
    ['text/plain', bytes('hello.sats')],
    ['application/json', bytes('{"p":"brc-20"}')],
    ['text/plain', new Uint8Array()],
    ['image/png', bytes('\x89PNG\r\n\x1a\n...')],
    ['image/jpeg', bytes('\xff\xd8\xff\xe0...')],
    ['image/gif', bytes('GIF89a...')],
    ['image/webp', bytes('RIFF\x10\0\0\0WEBPVP8 ')],
    ['image/avif', ftyp('avif', '\0\0\0\0', 'mif1')],
    ['image/avif', ftyp('mif1', '\0\0\0\0', 'avif')],
    ['image/svg+xml', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['image/svg+xml', bytes('\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x --><!-- y -->\n<svg>')],
    ['image/svg+xml', bytes('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg >')],
    ['audio/mpeg', bytes('ID3...')],
    ['audio/mpeg', bytes('\xff\xfb\x90')],
    ['audio/ogg', bytes('OggS')],
    ['audio/wav', bytes('RIFF\x10\0\0\0WAVEfmt ')],
    ['audio/flac', bytes('fLaC')],
    ['video/mp4', ftyp('isom', '\0\0\0\0')],
    ['video/webm', bytes('\x1a\x45\xdf\xa3')],
  ])('%s', (claimed, body) => {
    expect(isOfClaimedType(claimed, body)).toBe(true)
  })

  test.each([
    ['text/plain', bytes('\xff\xd8\xff\xe0')],
    ['text/plain', bytes('a\0b')],
    ['image/png', bytes('<html>')],
    ['image/png', bytes('\x89PN')],
    ['image/jpeg', new Uint8Array()],
    ['image/webp', bytes('RIFF\x10\0\0\0WAVE')],
    ['image/avif', ftyp('isom', '\0\0\0\0')],
    ['image/avif', bytes('\xff\xff\xff\xffftypmif1')],
    ['image/svg+xml', bytes('<html><svg></svg></html>')],
    ['image/svg+xml', bytes('<svgx>')],
    ['image/svg+xml', bytes('<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>')],
    ['image/svg+xml', bytes('<!-- endless')],
    ['image/svg+xml', bytes('   ')],
    ['audio/mpeg', bytes('\xff\xe1')],
    ['audio/mpeg', bytes('\xff\xe9')],
    ['video/webm', bytes('OggS')],
    ['text/html', bytes('<html>')],
    ['', bytes('')],
  ])('%s: not these bytes', (claimed, body) => {
    expect(isOfClaimedType(claimed, body)).toBe(false)
  })

  test('a megabyte of comments is looked through once', () => {
    expect(isOfClaimedType('image/svg+xml', bytes('<!----> '.repeat(2 ** 17)))).toBe(false)
  })
})
