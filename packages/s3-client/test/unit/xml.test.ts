import { describe, expect, it } from 'vitest'
import { elementsOf, escapeText, textOf } from '../../src/response.ts'

describe('a response of the store', () => {
  it('has the text of an element with resolved entities only', () => {
    const xml = '<?xml version="1.0"?>\n<R xmlns="x"><Key>a&amp;b&lt;&#x1F600;&#38;</Key><ETag>&quot;1&quot;</ETag></R>'
    expect(textOf(xml, 'Key')).toBe('a&b<😀&')
    expect(textOf(xml, 'ETag')).toBe('"1"')
    expect(textOf('<a>&unknown;&#xFFFFFFFF;</a>', 'a')).toBe('&unknown;&#xFFFFFFFF;')
  })

  it('distinguishes names with the same beginning, and empty from missing elements', () => {
    const xml = '<PartNumber>3</PartNumber><Part>one</Part><Part/><Part a="1">two</Part>'
    expect([...elementsOf(xml, 'Part')]).toEqual(['one', '', 'two'])
    expect(textOf(xml, 'Number')).toBeUndefined()
  })

  it.each(['', '<', '<Part', '<Part>', '<Part>1</Pa', 'Part>1</Part>', '<html><body>no</body></html>'])(
    'has no elements if it is truncated or not XML: %j',
    (xml) => expect([...elementsOf(xml, 'Part')]).toEqual([]),
  )

  it('restores escaped text', () => {
    for (const text of ['', '"<a>&amp;"', '𝒳&&>']) expect(textOf(`<E>${escapeText(text)}</E>`, 'E')).toBe(text)
  })
})
