import { useLocation } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useRestoreFile } from './file-mutations.ts'

/** What is in the trash is read by nobody; but it can be taken back by its id. */
export function MissingFile({ fileId }: { fileId: string }) {
  const t = text.value.file
  const { mutate, isPending } = useRestoreFile()
  const [, navigate] = useLocation()
  return (
    <PageHead title={t.missingTitle} lead={t.missingText}>
      <Button busy={isPending} onClick={() => mutate({ fileId }, { onSuccess: () => navigate(`/files/${fileId}`) })}>
        {t.restore}
      </Button>
    </PageHead>
  )
}
