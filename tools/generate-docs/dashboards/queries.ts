import type { Query } from './dashboard.ts'

/** A second's increase of a counter, summed by `by`. */
export const rateBy = (by: string, counter: string): string => `sum by (${by}) (rate(${counter}[$__rate_interval]))`

/** The 50th and 99th percentile of a histogram, of all its series together. */
export const percentiles = (bucket: string, name = ''): Query[] =>
  (['50', '99'] as const).map((percent) => [
    `histogram_quantile(0.${percent}, ${rateBy('le', bucket)})`,
    name ? `${name}, p${percent}` : `p${percent}`,
  ])

/** The 99th percentile for each value of a label. */
export const slowestBy = (by: string, bucket: string): Query => [
  `histogram_quantile(0.99, ${rateBy(`le, ${by}`, bucket)})`,
  by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' '),
]

/** What every process shows alike is asked for by `max`. */
export const gauge = (metric: string, label: string): Query[] => [[`max by (${label}) (${metric}{NS})`, `{{${label}}}`]]
