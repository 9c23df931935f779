# nix run '.?dir=packaging/nix' in a checkout, or with the address of the repository before the question mark.
{
  description = "Commit messages written by the coding agent you already have";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAll = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      source = ../..;
      manifest = (nixpkgs.lib.importTOML (source + "/Cargo.toml")).package;
    in
    {
      packages = forAll (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = source;
          cargoLock.lockFile = source + "/Cargo.lock";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests need shells, git's daemons and a home; .ci/run is the place for them.
          doCheck = false;
          postInstall = ''
            installManPage man/*.1 man/*.5
            installShellCompletion --bash completions/stagecoach.bash
            installShellCompletion --zsh completions/_stagecoach
            installShellCompletion --fish completions/stagecoach.fish
            mkdir -p $out/share/stagecoach
            cp -r completions $out/share/stagecoach/
          '';
          meta = {
            description = manifest.description;
            license = pkgs.lib.licenses.mit;
            mainProgram = "stagecoach";
          };
        };
      });
    };
}
