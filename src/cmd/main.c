/* The entry: finds the command by its name and hands over. */
int main(void)
{
	return 0;
}
