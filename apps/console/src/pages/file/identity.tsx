import type { FileRecord } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { Section, Values } from './values.tsx'

export function Digests({ file }: { file: FileRecord }) {
  const t = text.value.file
  const { id, checksumSha256, storageNetworkBlobId: blobId, expectedBlobId } = file
  return (
    <Section title={t.identity}>
      <Values
        values={[
          [t.fileId, id, 'copied'],
          [t.sha256, checksumSha256, 'copied'],
          [t.blobId, blobId, 'copied'],
          blobId === null && [t.expectedBlobId, expectedBlobId, 'copied'],
        ]}
      />
    </Section>
  )
}

export function Versions({ file: { replaces, replacedBy } }: { file: FileRecord }) {
  const t = text.value.file
  if (replaces === null && replacedBy === null) return null
  return (
    <Section title={t.versions}>
      {replacedBy !== null && <Version label={t.replacedBy} id={replacedBy} />}
      {replaces !== null && <Version label={t.replaces} id={replaces} />}
    </Section>
  )
}

function Version({ label, id }: { label: string; id: string }) {
  return (
    <p>
      {label}{' '}
      <Link href={`/files/${id}`}>
        <code>{id}</code>
      </Link>
    </p>
  )
}
