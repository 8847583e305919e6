import { describe, expect, it } from 'vitest'
import { showError } from '../../src/error-answer.ts'
import { S3Error } from '../../src/errors.ts'
import { nodesOf, readDocument, textOf } from '../../src/xml/read-xml.ts'
import { writeDocument } from '../../src/xml/write-xml.ts'

const read = (text: string, root = 'Delete') => readDocument(Buffer.from(text), root)
const refusal = expect.objectContaining({ code: 'MalformedXML' })

describe('a document', () => {
  it('keeps every character of a key, also white space, references, and names of properties', () => {
    const keys = [' a ', '&<>"\'', '\u0001\u001f', 'é/日本/\u{1f600}', '__proto__', 'a\r\nb', '123', 'true']
    const written = writeDocument(
      'Delete',
      keys.map((key) => ['Object', [['Key', key]]]),
    )
    expect(written).toContain('&#x1;&#x1f;')
    expect(nodesOf(read(written), 'Object').map((node) => textOf(node, 'Key'))).toEqual(keys)
  })

  it('may have a namespace, a prefix, comments, attributes, and another encoding of references', () => {
    const text =
      '<?xml version="1.0"?><!-- a --><s3:Delete xmlns:s3="http://s3/"><s3:Object id="1">\n <s3:Key>&#x61;&#98;&amp;</s3:Key></s3:Object></s3:Delete>'
    expect(nodesOf(read(text), 'Object').map((node) => textOf(node, 'Key'))).toEqual(['ab&'])
  })

  it.each([
    ['an entity', '<!DOCTYPE Delete [<!ENTITY a "b">]><Delete><Object><Key>&a;</Key></Object></Delete>'],
    ['an unknown reference', '<Delete><Object><Key>&a;</Key></Object></Delete>'],
    ['a reference to no character', '<Delete><Object><Key>&#xd800;</Key></Object></Delete>'],
    ['unparsed text', '<Delete><![CDATA[a]]></Delete>'],
    ['too many levels', `${'<Delete>'.repeat(9)}${'</Delete>'.repeat(9)}`],
    ['an open element', '<Delete><Object></Delete>'],
    ['another root', '<Other/>'],
    ['two roots', '<Delete/><Delete/>'],
    ['a section in a tag', '<Delete a="<b>"></Delete>'],
    ['an open comment', '<!-- <Delete/>'],
    ['text around the root', '<Delete/>a'],
    ['an instruction', '<?xml version="1.0"?><?a b?><Delete/>'],
    ['a long tag', `<Delete a="${'a'.repeat(2000)}"/>`],
    ['too many tags', `<Delete>${'<a/>'.repeat(200_000)}</Delete>`],
    ['nothing', ''],
  ])('is refused with %s', (_, text) => {
    expect(() => nodesOf(read(text), 'Object').map((node) => textOf(node, 'Key'))).toThrow(refusal)
  })

  it('is refused if its bytes are not UTF-8, or an element is repeated', () => {
    expect(() => readDocument(Buffer.from([0x3c, 0x44, 0xff]), 'Delete')).toThrow(refusal)
    const [object] = nodesOf(read('<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>'), 'Object')
    expect(() => textOf(object ?? {}, 'Key')).toThrow(refusal)
  })
})

it('quotes what a client sent in an error without control characters, which no parser reads', () => {
  const error = new S3Error('InvalidArgument', 'a\u0001b', { ArgumentValue: '<\u0000\ud800\t>' })
  const { body } = showError(error, { method: 'GET', resource: '/', requestId: '' })
  expect(body).toContain('<Message>a\ufffdb</Message><ArgumentValue>&lt;\ufffd\ufffd\t&gt;</ArgumentValue>')
})
