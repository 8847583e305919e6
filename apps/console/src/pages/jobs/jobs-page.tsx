import { text } from '../../text/text.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { JobList } from './job-list.tsx'

export default function JobsPage() {
  const t = text.value.jobs
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <JobList label={t.title} empty={{ title: t.empty, text: t.emptyText }} />
    </>
  )
}
