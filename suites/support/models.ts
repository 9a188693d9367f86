/**
 * The accepted ids of the main model (section 2.1) that no other scenario uses; its first id, which
 * all of them use, where it has no other.
 */
export function otherNames(profile: {
  readonly models: { readonly main: string; readonly aliases: readonly string[] }
}): readonly string[] {
  const { main, aliases } = profile.models
  return aliases.length > 0 ? aliases : [main]
}

export function visionName({ models }: { readonly models: { readonly vision: string } }): string[] {
  return [models.vision]
}
