export const onConflictOption = (otherwise: 'replace' | 'fail') =>
  ({
    type: 'string',
    choices: ['keep', 'fail', 'replace'],
    summary: `If a path is taken: keep both, fail, or replace, which puts the other file in the trash; ${otherwise} unless given`,
  }) as const
