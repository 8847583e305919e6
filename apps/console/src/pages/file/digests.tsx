import type { FileRecord } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { Section } from './section.tsx'
import { Value } from './value.tsx'

/** What names the file and its bytes anywhere. */
export function Digests({ file }: { file: FileRecord }) {
  const t = text.value.file
  const { storageNetworkBlobId: blobId, expectedBlobId } = file
  return (
    <Section title={t.identity}>
      <dl class="file-values">
        <Value label={t.fileId} value={file.id} copies />
        {file.checksumSha256 !== null && <Value label={t.sha256} value={file.checksumSha256} copies />}
        {blobId !== null && <Value label={t.blobId} value={blobId} copies />}
        {blobId === null && expectedBlobId !== null && <Value label={t.expectedBlobId} value={expectedBlobId} copies />}
      </dl>
    </Section>
  )
}
