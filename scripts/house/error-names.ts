import { isSource, type Repository } from './repository.ts'

const errorClass = /class (\w+) extends \w+ \{[^}]*?override readonly name = '(\w+)'/g

/** Errors whose `name` is not that of their class. */
export function errorNameProblems(repository: Repository): readonly string[] {
  return [...repository]
    .filter(([path]) => isSource(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(errorClass)]
        .filter(([, className, name]) => className !== name)
        .map(([, className, name]) => `${path}: the name of ${className} is ${name}`),
    )
}
