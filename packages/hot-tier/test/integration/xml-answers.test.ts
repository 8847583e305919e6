import { ListPartsCommand, S3Client } from '@aws-sdk/client-s3'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, startOddStore } from '../odd-store.ts'

let t: Awaited<ReturnType<typeof startOddStore>>
beforeAll(async () => {
  t = await startOddStore()
})
afterAll(() => t[Symbol.asyncDispose]())

const PAGES = 1_000
const PARTS_MAX = 20

describe('the XML of a store', () => {
  it('is read as the SDK reads it, for every kind of list', async () => {
    const s3 = new S3Client({
      ...{ endpoint: t.endpoint, credentials: t.credentials, region: 'us-east-1', forcePathStyle: true },
    })
    await withSeed(async (random) => {
      for (let page = 0; page < PAGES; page += 1) {
        t.answerBy(answer(200, partsPage(random)))
        const { Parts = [] } = await s3.send(new ListPartsCommand({ Bucket: 'bucket', Key: 'key', UploadId: 'upload' }))
        expect(await t.hotTier.listParts('key', 'upload')).toEqual(
          Parts.map(({ PartNumber, Size, ETag }) => ({ partNumber: PartNumber, sizeBytes: Size, etag: ETag })),
        )
      }
    })
    s3.destroy()
  })
})

/** A page of at most this many parts, with all XML features and unknown elements. */
function partsPage(random: Random): string {
  const below = (end: number) => Math.floor(random() * end)
  const pick = <T>(...from: T[]) => from[below(from.length)] as T
  const space = () => pick('', '', '\n', '\n    ')
  const etag = () => pick('"', '&quot;', '&#34;', '&#x22;').concat(pick('a1&amp;-2', 'b7', 'é漢😀'))
  const part = () => {
    const elements = [
      `<PartNumber>${1 + below(10_000)}</PartNumber>`,
      `<Size>${below(2 ** 31)}</Size>`,
      `<ETag${pick('', ' a="&lt;"', "\n b='1'")}>${etag()}</ETag>`,
      '<LastModified>2026-01-31T23:59:59.000Z</LastModified>',
      ...pick([], ['<ChecksumCRC32/>'], ['<SizeOfAll>1</SizeOfAll>', '<PartNumberMarker>0</PartNumberMarker>']),
    ]
    const shuffled = elements.map((element) => ({ element, at: random() })).toSorted((a, b) => a.at - b.at)
    return `<Part>${shuffled.map(({ element }) => space() + element).join('')}${space()}</Part>`
  }
  const parts = Array.from({ length: below(PARTS_MAX + 1) }, () => space() + part()).join('')
  const owner = pick('', '<Owner><ID>Part</ID><DisplayName>&lt;Part&gt;</DisplayName></Owner>', '<Initiator/>')
  const first = pick('', '<?xml version="1.0" encoding="UTF-8"?>\n')
  const attribute = pick('', ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"')
  return `${first}<ListPartsResult${attribute}>${owner}${parts}<IsTruncated>false</IsTruncated></ListPartsResult>`
}
