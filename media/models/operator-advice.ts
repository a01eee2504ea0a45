/** Commands and hints for the operator in error messages. They depend on the kind of installation. */
export interface OperatorAdvice {
  /** Command line of a command of the models program. */
  modelsCommand(args: string): string;
  /** The same for a command that downloads. */
  fetchCommand(args: string): string;
  /** How to install pip. */
  pipAdvice(): string;
}
