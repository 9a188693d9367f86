/**
 * Text in which GitHub Actions sees no workflow command: its runner interprets lines that start with
 * `::` and `##[` anywhere in a line of the output of every step, and a target may have sent them.
 */
export function escapeWorkflowCommands(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (env['GITHUB_ACTIONS'] !== 'true') return text
  return text.replaceAll(/^(\s*):(?=:)/gm, '$1\\x3a').replaceAll('##[', '#\\x23[')
}
