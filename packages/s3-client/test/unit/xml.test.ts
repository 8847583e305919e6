import { describe, expect, it } from 'vitest'
import { elementsOf, escapeText, textOf } from '../../src/response.ts'

describe('an answer of the store', () => {
  it('gives the text of an element, its entities resolved and nothing else', () => {
    const xml = '<?xml version="1.0"?>\n<R xmlns="x"><Key>a&amp;b&lt;&#x1F600;&#38;</Key><ETag>&quot;1&quot;</ETag></R>'
    expect(textOf(xml, 'Key')).toBe('a&b<😀&')
    expect(textOf(xml, 'ETag')).toBe('"1"')
    expect(textOf('<a>&unknown;&#xFFFFFFFF;</a>', 'a')).toBe('&unknown;&#xFFFFFFFF;')
  })

  it('tells names apart that begin alike, and what is empty from what is missing', () => {
    const xml = '<PartNumber>3</PartNumber><Part>one</Part><Part/><Part a="1">two</Part>'
    expect([...elementsOf(xml, 'Part')]).toEqual(['one', '', 'two'])
    expect(textOf(xml, 'Number')).toBeUndefined()
  })

  it.each(['', '<', '<Part', '<Part>', '<Part>1</Pa', 'Part>1</Part>', '<html><body>no</body></html>'])(
    'that is cut off or no XML gives nothing: %j',
    (xml) => expect([...elementsOf(xml, 'Part')]).toEqual([]),
  )

  it('gives back what was escaped', () => {
    for (const text of ['', '"<a>&amp;"', '𝒳&&>']) expect(textOf(`<E>${escapeText(text)}</E>`, 'E')).toBe(text)
  })
})
