export const onConflictOption = (otherwise: 'replace' | 'fail') =>
  ({
    type: 'string',
    choices: ['keep', 'fail', 'replace'],
    summary: `If the path is taken: keep both files, fail, or replace the file, which moves to the trash (default: ${otherwise})`,
  }) as const
