import { useEffect, useRef } from 'preact/hooks'
import { describeError } from '../api/describe-error.ts'
import type { Pages } from '../api/use-pages.ts'
import { text } from '../text/text.ts'
import { Button } from './button.tsx'

interface MoreButtonProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  label?: string
}

export function MoreButton({ list, label = text.value.app.more }: MoreButtonProps) {
  if (!list.hasNextPage) return null
  return <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()} text={label} />
}

/** The last page removes the button, so the focus moves to the count of items. */
export function More({ list, shown }: { list: Pages<{ id: string }>['list']; shown: number }) {
  const { data, hasNextPage, isFetchNextPageError, error } = list
  const t = text.value.lists
  const end = useRef<HTMLParagraphElement>(null)
  const pageCount = data?.pages.length ?? 0
  useEffect(() => {
    if (!hasNextPage && pageCount > 1 && document.activeElement === document.body) end.current?.focus()
  }, [hasNextPage, pageCount])
  if (!hasNextPage && pageCount < 2) return null
  return (
    <div class="more">
      <MoreButton list={list} />
      <p class="hint" role="status" tabIndex={-1} ref={end}>
        {hasNextPage ? t.shown(shown) : t.all(shown)}
      </p>
      <p class="form-error" role="alert">
        {isFetchNextPageError ? describeError(error) : ''}
      </p>
    </div>
  )
}
