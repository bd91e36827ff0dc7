strobe annotate -M nasm
