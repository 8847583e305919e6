import { text } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Exports } from './exports.tsx'
import { Manifest } from './manifest.tsx'

export default function ExportPage() {
  const t = text.value.export
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Manifest />
      <Exports />
    </>
  )
}
