import { type Job, listJobs } from '@tideport/sdk'
import type { BadgeText } from '../../ui/row.tsx'
import { type ListQuery, readList } from '../resource/read-list.ts'

interface Going {
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
}

export const isOver = ({ state }: Going): boolean => state !== 'queued' && state !== 'running'

/** Polls a list while one of its jobs or runs is active. */
export const watched = { everyMs: (all: readonly Going[]): number | false => !all.every(isOver) && 2_000 }

export const stateBadge = ({ state }: Going, names: Readonly<Record<Going['state'], string>>): BadgeText => [
  state === 'done' ? 'badge-good' : state === 'failed' ? 'badge-bad' : '',
  names[state],
]

export const jobsQuery: ListQuery<Job> = { queryKey: ['jobs'], read: readList('jobs', listJobs, {}), ...watched }
