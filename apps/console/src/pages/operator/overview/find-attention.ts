import type { OperatorOverview } from '@tideport/sdk'
import { dateTime, duration, number } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import type { NetworksAnswer } from './overview-queries.ts'

export interface Found {
  key: string
  text: string
  href?: string
}

/** Events that wait longer need a broker or a relay. */
const publishedWithinSeconds = 300
/** Restarts alone cause up to this many. */
const claimsMax = 3

export function findAttention(overview: OperatorOverview, networks: NetworksAnswer | undefined): Found[] {
  return [...(networks === undefined ? [] : ofNetworks(networks)), ...ofFiles(overview), ...ofRows(overview)]
}

function ofNetworks({ hotTier, networks, openCircuits }: NetworksAnswer): Found[] {
  const t = text.value.operator
  const down = hotTier.works ? [] : [{ key: 'hot tier', text: t.found.hotTier }]
  const faulty = networks.flatMap(({ name, works, role, freeBytes, reserveBytes }) => {
    if (works === false) return [{ key: `down ${name}`, text: t.found.network(name) }]
    const isFull = role === 'required' && freeBytes !== null && reserveBytes !== null && freeBytes <= reserveBytes
    return isFull ? [{ key: `full ${name}`, text: t.found.full(name) }] : []
  })
  const circuits = openCircuits.map(({ service, process, needs, openedAt }) => ({
    key: `circuit ${process} ${needs}`,
    text: t.found.circuit(service, needs === 'hot_tier' ? t.hotTierName : needs, dateTime(openedAt)),
  }))
  return [...down, ...faulty, ...circuits]
}

function ofFiles({ deadLetters, copies }: OperatorOverview): Found[] {
  const t = text.value.operator.found
  const href = '/operator/dead-letters'
  const given = (['files', 'copies', 'events'] as const).flatMap((kind) => {
    const count = deadLetters[kind] ?? 0
    return count === 0 ? [] : [{ key: kind, text: t[kind](number(count)), href: `${href}?kind=${kind}` }]
  })
  const lost = (copies ?? []).flatMap(({ network, lost: count }) =>
    count === null || count === 0 ? [] : [{ key: `lost ${network}`, text: t.lost(number(count), network) }],
  )
  return [...given, ...lost]
}

function ofRows({ events, unfinishedClaimsMax, violations }: OperatorOverview): Found[] {
  const t = text.value.operator.found
  const isLate = events !== null && events.oldestSeconds > publishedWithinSeconds
  return [
    ...(isLate
      ? [{ key: 'unpublished', text: t.unpublished(number(events.unpublished), duration(events.oldestSeconds)) }]
      : []),
    ...((unfinishedClaimsMax ?? 0) > claimsMax
      ? [{ key: 'claims', text: t.claims(number(unfinishedClaimsMax ?? 0)) }]
      : []),
    ...Object.entries(violations ?? {}).flatMap(([rule, count]) =>
      count === 0 ? [] : [{ key: rule, text: t.violations(rule, number(count)) }],
    ),
  ]
}
