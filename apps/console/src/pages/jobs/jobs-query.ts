import { type Job, listJobs } from '@tideport/sdk'
import { type ListQuery, readList } from '../resource/read-list.ts'
import { watched } from './progress.ts'

export const jobsQuery: ListQuery<Job> = { queryKey: ['jobs'], read: readList('jobs', listJobs, {}), ...watched }
